// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.client;

import java.util.concurrent.atomic.AtomicLongArray;

/** Per partition, one past the last acknowledged offset. Written by the producer, read by the consumer. */
final class AcknowledgedEnds {
    private final AtomicLongArray ends;

    AcknowledgedEnds(int partitions) {
        ends = new AtomicLongArray(partitions);
    }

    void raise(int partition, long end) {
        ends.accumulateAndGet(partition, end, Math::max);
    }

    /** Returns the number of acknowledged records not read yet. */
    long behind(long[] readEnds) {
        long behind = 0;
        for (int partition = 0; partition < readEnds.length; partition++) {
            behind += Math.max(0, ends.get(partition) - readEnds[partition]);
        }
        return behind;
    }
}
