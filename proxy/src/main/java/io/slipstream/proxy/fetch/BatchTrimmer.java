// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.fetch.BatchWalk;
import io.slipstream.protocol.fetch.BatchWalk.Stop;
import io.slipstream.protocol.fetch.FetchRequestView;

/**
 * Trims the data read for a request to whole batches below its limits, and advances the cursors. Confined to the event
 * loop; allocates only when it grows.
 */
final class BatchTrimmer {
    enum Outcome {
        /** Only the broker can interpret these bytes. */
        UNREADABLE,
        /** Some partition has only the beginning of a batch, which its region's end cuts off. */
        STRADDLES,
        /** The offset limit came before its estimated byte position, and the rest is too little for an answer. */
        TOO_LITTLE,
        ENOUGH
    }

    private final CursorTable cursors;
    private final DataReader data;
    private final AbortedLists aborted;
    /** By entry, from the trim to the advance of the cursors. */
    long[] nextOffsets = new long[8];

    private int[] lastEpochs = new int[8];
    /** Number of records, by entry with data left. */
    long[] recordCounts = new long[8];

    private long records;
    /** Whether no partition has data left. */
    boolean empty;

    BatchTrimmer(CursorTable cursors, DataReader data, AbortedLists aborted) {
        this.cursors = cursors;
        this.data = data;
        this.aborted = aborted;
    }

    Outcome cut(FetchRequestView request, ReadPlan plan) {
        records = 0;
        size(request.partitionCount());
        long total = 0;
        boolean learned = false;
        boolean straddling = false;
        for (int i = 0; i < request.partitionCount(); i++) {
            if (plan.lengthBytes[i] == 0) {
                continue;
            }
            BatchWalk walk = data.cut(i, request, plan);
            boolean nothing = data.consumedBytes(i) == 0;
            boolean straddles = plan.windowed[i] && walk.acceptedBytes() == 0 && walk.stop() == Stop.PARTIAL_BATCH;
            if (walk.stop().isTorn()
                    || (nothing && i == plan.firstNonEmpty && walk.stop() != Stop.OFFSET_LIMIT && !straddles)) {
                return Outcome.UNREADABLE;
            }
            straddling |= straddles;
            total += walk.acceptedBytes();
            accepted(i, plan, walk);
            learned |= walk.stop() == Stop.OFFSET_LIMIT;
        }
        empty = total == 0;
        if (straddling) {
            return Outcome.STRADDLES;
        }
        return learned && !plan.due && total < plan.minBytes ? Outcome.TOO_LITTLE : Outcome.ENOUGH;
    }

    private void size(int entries) {
        if (nextOffsets.length < entries) {
            nextOffsets = new long[Integer.highestOneBit(entries) * 2];
            lastEpochs = new int[nextOffsets.length];
            recordCounts = new long[nextOffsets.length];
        }
    }

    /** Trims once more, to lowered limits; false if nothing is left. */
    boolean cutAgain(FetchRequestView request, ReadPlan plan) {
        records = 0;
        boolean any = false;
        for (int i = 0; i < request.partitionCount(); i++) {
            if (plan.lengthBytes[i] > 0) {
                BatchWalk walk = data.cut(i, request, plan);
                any |= walk.acceptedBytes() > 0;
                accepted(i, plan, walk);
            }
        }
        return any;
    }

    private void accepted(int entry, ReadPlan plan, BatchWalk walk) {
        records += walk.recordCount();
        recordCounts[entry] = walk.recordCount();
        nextOffsets[entry] = walk.nextOffset();
        lastEpochs[entry] = walk.lastLeaderEpoch();
        Cursor cursor = cursors.entries[entry];
        boolean limited = walk.stop() == Stop.OFFSET_LIMIT;
        aborted.readTo(entry, cursor.position + (limited ? data.consumedBytes(entry) : plan.lengthBytes[entry]));
        if (limited) {
            cursor.knownLimitOffset = plan.limitOffset[entry];
            cursor.knownLimitPosition = cursor.position + data.consumedBytes(entry);
        }
    }

    /** Drops the trimmed data without serving it. */
    void discard() {
        records = 0;
        data.release();
    }

    /** Takes the number of records in the trimmed data; 0 afterwards. */
    long takeRecords() {
        long taken = records;
        records = 0;
        return taken;
    }

    /** Advances the cursors past the trimmed data, because it is served. */
    void advance(FetchRequestView request, ReadPlan plan) {
        for (int i = 0; i < request.partitionCount(); i++) {
            if (plan.lengthBytes[i] == 0) {
                continue;
            }
            Cursor cursor = cursors.entries[i];
            int following = data.followingBatchBytes(i, plan);
            if (data.recordBytes[i] > 0) {
                cursor.advance(data.consumedBytes(i), nextOffsets[i], lastEpochs[i], following);
            } else {
                cursor.skip(data.consumedBytes(i), following);
            }
        }
    }

    /** Advances the cursors of partitions without data past batches below the fetch offset. */
    void skip(FetchRequestView request, ReadPlan plan) {
        for (int i = 0; i < request.partitionCount(); i++) {
            if (plan.lengthBytes[i] > 0 && data.recordBytes[i] == 0) {
                cursors.entries[i].skip(data.consumedBytes(i), data.followingBatchBytes(i, plan));
            }
        }
    }
}
