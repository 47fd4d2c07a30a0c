// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Makes JMH measure on threads like the proxy's event loops, because Netty pools buffers only for such threads. */
public final class LoopThreads extends ThreadPoolExecutor {
    /** The constructor that JMH requires. */
    public LoopThreads(int threads, String prefix) {
        super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new DefaultThreadFactory(prefix));
    }
}
