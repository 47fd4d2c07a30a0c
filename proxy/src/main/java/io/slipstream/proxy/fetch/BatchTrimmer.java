// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.fetch.BatchWalk;
import io.slipstream.protocol.fetch.BatchWalk.Stop;
import io.slipstream.protocol.fetch.FetchRequestView;

/**
 * Trims the data read for a request to whole batches below its limits, and advances the cursors. Confined to the event
 * loop; allocates only when it grows.
 */
final class BatchTrimmer {
    enum Outcome {
        /** Only the broker can interpret the bytes of some partition, which the plan refuses. */
        UNREADABLE,
        /** Some partition has only the beginning of a batch, which its region's end cuts off. */
        STRADDLES,
        /** The offset limit came before its estimated byte position, and the rest is too little for an answer. */
        TOO_LITTLE,
        ENOUGH
    }

    private final CursorTable cursors;
    private final DataReader data;
    /** Whether no partition has data left. */
    boolean empty;

    BatchTrimmer(CursorTable cursors, DataReader data) {
        this.cursors = cursors;
        this.data = data;
    }

    Outcome cut(FetchRequestView request, ReadPlan plan) {
        long total = 0;
        boolean learned = false;
        boolean straddling = false;
        for (int i = 0; i < request.partitions.count; i++) {
            ReadPlan.Entry entry = plan.entries[i];
            if (entry.lengthBytes == 0) {
                continue;
            }
            BatchWalk walk = data.cut(i, request, plan);
            boolean nothing = entry.consumedBytes() == 0;
            boolean straddles = entry.windowed && walk.acceptedBytes() == 0 && walk.stop == Stop.PARTIAL_BATCH;
            if (walk.stop.isTorn()
                    || (nothing && i == plan.firstNonEmpty && walk.stop != Stop.OFFSET_LIMIT && !straddles)) {
                plan.refuse(i, FallbackReason.NOT_READABLE);
                return Outcome.UNREADABLE;
            }
            straddling |= straddles;
            total += walk.acceptedBytes();
            accepted(cursors.entries[i], entry, walk);
            learned |= walk.stop == Stop.OFFSET_LIMIT;
        }
        empty = total == 0;
        if (straddling) {
            return Outcome.STRADDLES;
        }
        return learned && !plan.due && total < plan.minBytes ? Outcome.TOO_LITTLE : Outcome.ENOUGH;
    }

    /** Trims once more, to lowered limits; false if nothing is left. */
    boolean cutAgain(FetchRequestView request, ReadPlan plan) {
        boolean any = false;
        for (int i = 0; i < request.partitions.count; i++) {
            if (plan.entries[i].lengthBytes > 0) {
                BatchWalk walk = data.cut(i, request, plan);
                any |= walk.acceptedBytes() > 0;
                accepted(cursors.entries[i], plan.entries[i], walk);
            }
        }
        return any;
    }

    private void accepted(Cursor cursor, ReadPlan.Entry entry, BatchWalk walk) {
        boolean limited = walk.stop == Stop.OFFSET_LIMIT;
        entry.readToPosition = cursor.position + (limited ? entry.consumedBytes() : entry.lengthBytes);
        if (limited) {
            cursor.knownLimitOffset = entry.limitOffset;
            cursor.knownLimitPosition = entry.readToPosition;
        }
    }

    /** Advances the cursors past the trimmed data, because it is served. */
    void advance(FetchRequestView request, ReadPlan plan) {
        for (int i = 0; i < request.partitions.count; i++) {
            ReadPlan.Entry entry = plan.entries[i];
            if (entry.recordBytes > 0) {
                cursors.entries[i].advance(
                        entry.consumedBytes(),
                        entry.availableBytes,
                        entry.nextOffset,
                        entry.lastEpoch,
                        data.followingBatchBytes(entry));
            }
        }
        skip(request, plan);
    }

    /** Advances the cursors of partitions without data past batches below the fetch offset. */
    void skip(FetchRequestView request, ReadPlan plan) {
        for (int i = 0; i < request.partitions.count; i++) {
            ReadPlan.Entry entry = plan.entries[i];
            if (entry.lengthBytes > 0 && entry.recordBytes == 0) {
                cursors.entries[i].skip(entry.consumedBytes(), data.followingBatchBytes(entry));
            }
        }
    }
}
