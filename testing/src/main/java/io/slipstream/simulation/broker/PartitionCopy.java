// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import java.nio.ByteBuffer;
import java.util.List;

/** One broker's copy of a partition, as replication reads and writes it. */
public interface PartitionCopy {
    int EPOCH_OFFSET = 12;

    /** Returns the batches that are left, in order. */
    List<LoggedBatch> batches();

    long logStartOffset();

    long endOffset();

    long highWatermark();

    /** Appends a batch of the leader, with its offset and epoch. */
    void appendReplica(byte[] batch);

    /** Removes the records from that offset on. They must not be committed. */
    void truncateTo(long offset);

    /** Removes all records, because the leader's log begins later. */
    void restartAt(long offset);

    /** The leader has told its high watermark and the start of its log. */
    void advance(long leaderHighWatermark, long leaderStartOffset);

    /** Returns the leader epoch of the batch. */
    static int epochOf(LoggedBatch batch) {
        return ByteBuffer.wrap(batch.bytes()).getInt(EPOCH_OFFSET);
    }

    /** Returns the leader epoch of the last batch; -1 without one. */
    default int lastEpoch() {
        List<LoggedBatch> all = batches();
        return all.isEmpty() ? -1 : epochOf(all.get(all.size() - 1));
    }

    /** Returns the largest epoch in the log that is not larger; -1 if there is none. */
    default int floorEpoch(int epoch) {
        int floor = -1;
        for (LoggedBatch batch : batches()) {
            if (epochOf(batch) <= epoch) {
                floor = epochOf(batch);
            }
        }
        return floor;
    }

    /** Returns the offset after the last record of that epoch and earlier ones. */
    default long endOfEpoch(int epoch) {
        for (LoggedBatch batch : batches()) {
            if (epochOf(batch) > epoch) {
                return batch.baseOffset();
            }
        }
        return endOffset();
    }

    /** Returns the index of the batch with the offset, or of the first one after it. */
    default int indexOf(long offset) {
        List<LoggedBatch> all = batches();
        int low = 0;
        int high = all.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all.get(middle).lastOffset() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
