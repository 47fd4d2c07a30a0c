// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.fetch.BatchWalk;
import io.slipstream.protocol.fetch.BatchWalk.Stop;
import io.slipstream.protocol.fetch.FetchRequestView;

/**
 * Cuts what was read for a request to whole batches below its limits, and moves the cursors behind them. Confined to
 * the event loop; allocates only to grow.
 */
final class BatchTrimmer {
    enum Outcome {
        /** Only the broker can tell what these bytes are. */
        UNREADABLE,
        /** Of some partition nothing but the beginning of a batch that its region ends within. */
        STRADDLES,
        /**
         * The offset limit came earlier than its byte position let expect, so that it is less than is worth an answer.
         */
        TOO_LITTLE,
        ENOUGH
    }

    private final CursorTable cursors;
    private final DataReader data;
    private final AbortedLists aborted;
    /** By entry, from the cut to the cursors. */
    private long[] nextOffsets = new long[8];

    private int[] lastEpochs = new int[8];
    private long[] recordCounts = new long[8];
    private long records;
    private boolean empty;

    BatchTrimmer(CursorTable cursors, DataReader data, AbortedLists aborted) {
        this.cursors = cursors;
        this.data = data;
        this.aborted = aborted;
    }

    Outcome cut(FetchRequestView request, ReadPlan plan) {
        records = 0;
        return cutAll(request, plan);
    }

    private Outcome cutAll(FetchRequestView request, ReadPlan plan) {
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

    /** Cuts once more, to limits that were lowered; false if that leaves nothing at all. */
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
        Cursor cursor = cursors.entries()[entry];
        boolean limited = walk.stop() == Stop.OFFSET_LIMIT;
        aborted.readTo(entry, cursor.position + (limited ? data.consumedBytes(entry) : plan.lengthBytes[entry]));
        if (limited) {
            cursor.knownLimitOffset = plan.limitOffset[entry];
            cursor.knownBytes = data.consumedBytes(entry);
        }
    }

    /** By entry that something was read for, the offset behind what was cut. */
    long[] nextOffsets() {
        return nextOffsets;
    }

    /** By entry that something was left of, how many records. */
    long[] recordCounts() {
        return recordCounts;
    }

    /** Whether nothing was left of any partition. */
    boolean isEmpty() {
        return empty;
    }

    /** What was cut is not served. */
    void discard() {
        records = 0;
        data.release();
    }

    /** Takes the number of records in what was cut; 0 afterwards. */
    long takeRecords() {
        long taken = records;
        records = 0;
        return taken;
    }

    /** The cursors stand behind what was cut: it is served. */
    void advance(FetchRequestView request, ReadPlan plan) {
        for (int i = 0; i < request.partitionCount(); i++) {
            if (plan.lengthBytes[i] == 0) {
                continue;
            }
            Cursor cursor = cursors.entries()[i];
            int following = data.followingBatchBytes(i, plan);
            if (data.recordBytes()[i] > 0) {
                cursor.advance(data.consumedBytes(i), nextOffsets[i], lastEpochs[i], following);
            } else {
                cursor.skip(data.consumedBytes(i), following);
            }
        }
    }

    /** Of partitions of which nothing was left, the cursors step over what lies before the asked offset. */
    void skip(FetchRequestView request, ReadPlan plan) {
        for (int i = 0; i < request.partitionCount(); i++) {
            if (plan.lengthBytes[i] > 0 && data.recordBytes()[i] == 0) {
                cursors.entries()[i].skip(data.consumedBytes(i), data.followingBatchBytes(i, plan));
            }
        }
    }
}
