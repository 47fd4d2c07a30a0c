// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Measures the heap allocation of a parser. It counts all allocation including garbage, which is an upper bound of the
 * peak. One-time allocation of a thread (classes, stack traces of a first exception) is not a property of a frame. A
 * parser above its limit is therefore measured again, and only a repeated excess is a finding.
 */
public final class HeapUse {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MEASUREMENTS = 4;

    private HeapUse() {}

    /** Runs the parser, which must return the same result each time. Fails if it allocates more than the limit. */
    public static void requireAtMost(long limitBytes, Runnable parser) {
        long leastBytes = Long.MAX_VALUE;
        for (int i = 0; i < MEASUREMENTS && leastBytes > limitBytes; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            parser.run();
            leastBytes = Math.min(leastBytes, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        if (leastBytes > limitBytes) {
            throw new AssertionError(leastBytes + " bytes allocated, at most " + limitBytes + " are allowed");
        }
    }
}
