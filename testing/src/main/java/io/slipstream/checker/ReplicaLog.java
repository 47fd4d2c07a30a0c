// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import java.util.HashMap;
import java.util.Map;

/**
 * A dump of a replica's log. It keeps the batches of the reference replica, 36 bytes each, and only the header of the
 * others.
 */
final class ReplicaLog {
    final LogDumped header;
    /** The bit in {@link SendColumns#replicas}; 0 unless this is a final dump of an in-sync replica. */
    final int bit;
    /** Values of each producer id that await their transaction marker. */
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

    /** Returns the offset of the first batch, at least the start in the header. */
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
     * Returns whether the later of two batches is from the same producer under a later producer and leader epoch. A
     * killed broker recovers only the last batch of each producer from its snapshot. It then refuses the retry of an
     * earlier batch that it had appended but not acknowledged. An idempotent client starts a new epoch and sends the
     * batch again. Stock Kafka creates duplicates in this case.
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

    /** Returns the last batch that starts at or before the offset; -1 if there is none. */
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
