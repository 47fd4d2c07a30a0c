// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What a parser allocates on the heap. All that it allocates counts, garbage too, so the peak is at most that. What a thread allocates for a thing
 * done the first time (classes, the stack traces of a first exception) is no property of a frame: a parser that exceeds its limit is
 * measured again, and only what it exceeds every time is a finding.
 */
public final class HeapUse {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MEASUREMENTS = 4;

    private HeapUse() {}

    /** Runs the parser, which must give the same result each time, and fails if it allocated more than that. */
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
