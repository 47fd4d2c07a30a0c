// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Has JMH measure on threads like the proxy's event loops, because Netty pools buffers and their objects for threads of
 * its own kind only.
 */
public final class LoopThreads extends ThreadPoolExecutor {
    /** JMH asks for exactly this. */
    public LoopThreads(int threads, String prefix) {
        super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new DefaultThreadFactory(prefix));
    }
}
