// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import java.util.HashMap;
import java.util.Map;

/** A dump of a replica's log. Of the reference replica of a partition the batches are kept, 36 bytes each; of the others only the header. */
final class ReplicaLog {
    final LogDumped header;
    /** Its bit in {@link SendColumns#replicas}; 0 if it is not a final dump of an in-sync replica. */
    final int bit;
    /** Values of each producer id that wait for their marker. */
    final Map<Long, LongList> undecided = new HashMap<>();

    private int size;
    private final LongColumn bases = new LongColumn(-1);
    private final LongColumn hashes = new LongColumn(0);
    private final IntColumn epochs = new IntColumn(-1);
    private final IntColumn producerEpochs = new IntColumn(-1);
    private final LongColumn producerIds = new LongColumn(-1);

    ReplicaLog(LogDumped header, int bit) {
        this.header = header;
        this.bit = bit;
    }

    boolean isReference() {
        return bit == 1;
    }

    void add(BatchDumped batch) {
        bases.set(size, batch.baseOffset());
        hashes.set(size, batch.hash());
        epochs.set(size, batch.leaderEpoch());
        producerEpochs.set(size, batch.producerEpoch());
        producerIds.set(size, batch.producerId());
        size++;
    }

    int size() {
        return size;
    }

    /** Where its first batch begins, or would: not below the start in its header. */
    long begin() {
        return Math.max(header.logStart(), size == 0 ? header.logEnd() : base(0));
    }

    long base(int batch) {
        return bases.get(batch);
    }

    long hash(int batch) {
        return hashes.get(batch);
    }

    int epoch(int batch) {
        return epochs.get(batch);
    }

    /**
     * Whether the later of two batches is the work of the same producer under a later epoch of its own and of its leader. A broker that was killed remembers only the last batch of each producer
     * (recovery loads its snapshot), so it refuses the retry of an earlier one that it had appended and not acknowledged; an idempotent client then takes a new epoch and sends again. Stock
     * Kafka makes duplicates then.
     */
    boolean isSentAgainUnderNewEpoch(long oneOffset, long otherOffset) {
        int before = batchOf(Math.min(oneOffset, otherOffset));
        int after = batchOf(Math.max(oneOffset, otherOffset));
        return before >= 0
                && producerIds.get(before) >= 0
                && producerIds.get(before) == producerIds.get(after)
                && producerEpochs.get(before) < producerEpochs.get(after)
                && epochs.get(before) < epochs.get(after);
    }

    /** The last batch that begins at or before the offset; -1 if none does. */
    int batchOf(long offset) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (bases.get(middle) <= offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }
}
