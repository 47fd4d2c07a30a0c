// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.slot.SlotView;

/**
 * Decides the next step of a Fetch from the request, the cursors and copies of the slots. It reads nothing, keeps only
 * scratch state, and allocates nothing. The rules are those of a broker's {@code ReplicaManager.readFromLog} and
 * {@code DelayedFetch}:
 * <ul>
 * <li>limits: each partition's maxBytes, and the request's (capped by the broker's {@code fetch.max.bytes}) over all,
 *     in order;
 * <li>the first partition with readable data yields at least one batch, whatever the limits;
 * <li>the answer is due if minBytes (capped by the limit) are readable, if no wait is left, or if data is in an older
 *     segment;
 * <li>one partition is read from one segment at a time, and from one region of it. If the region ends before the
 *     readable data, the answer does not wait, and a batch across the end is located again.
 * </ul>
 *
 * <p>Byte counts are those of the log, including partial batches, as the broker counts them. The executor serves only
 * whole batches.
 */
public final class FetchPlanner {
    private final SlotView slot = new SlotView();

    /**
     * @param cursors by entry
     * @param brokerMaxBytes the broker's {@code fetch.max.bytes}, or the memory limit if that is less
     * @param noWaitLeft whether the longest wait is over
     * @param order the entries in the order of serving
     * @return {@code plan}
     */
    public ReadPlan plan(
            FetchRequestView request,
            Cursor[] cursors,
            SlotSource slots,
            int brokerMaxBytes,
            boolean noWaitLeft,
            int[] order,
            ReadPlan plan) {
        int entries = request.partitions.count;
        plan.reset(entries);
        boolean older = false;
        boolean locate = false;
        for (int i = 0; i < entries; i++) {
            Cursor cursor = cursors[i];
            long fetchOffset = request.partitions.fetchOffset(i);
            ReadPlan.Entry entry = plan.entries[i];
            if (!cursor.standsAt(fetchOffset, request.partitions.lastFetchedEpoch(i))) {
                entry.locate = true;
                locate = true;
                continue;
            }
            slots.slotOf(i, slot);
            if (!slot.isConsistent()) {
                return plan.as(ReadPlan.Kind.RETRY_SLOTS);
            }
            if (slot.generation() != cursor.generation || slot.isRevoked()) {
                plan.revoked++;
                entry.locate = true;
                locate = true;
                continue;
            }
            if (!isReadable(request, i, fetchOffset)) {
                plan.refuse(i, FallbackReason.NOT_READABLE);
                continue;
            }
            int available = available(request.isReadCommitted(), cursor, fetchOffset, entry);
            if (available < 0) {
                entry.locate = true;
                locate = true;
                continue;
            }
            entry.availableBytes = available;
            older |= available > 0 && (entry.windowed || slot.segmentBaseOffset() > cursor.segmentBaseOffset);
        }
        if (plan.isRefused) {
            return plan.as(ReadPlan.Kind.SPLIT);
        }
        return locate
                ? plan.as(ReadPlan.Kind.LOCATE)
                : sizes(request, cursors, brokerMaxBytes, noWaitLeft || older, order, plan);
    }

    /** Reason why only the broker can answer, once the slot is known to belong to this partition. */
    private boolean isReadable(FetchRequestView request, int entry, long fetchOffset) {
        int epoch = request.partitions.currentLeaderEpoch(entry);
        return (epoch == FetchRequestView.NONE || epoch == slot.leaderEpoch())
                && fetchOffset >= slot.logStartOffset()
                && fetchOffset <= slot.highWatermark();
    }

    /**
     * Readable bytes from the cursor on, an upper bound because a last stable offset has no byte position; -1 if the
     * entry must be located again.
     */
    private int available(boolean committed, Cursor cursor, long fetchOffset, ReadPlan.Entry entry) {
        long highWatermark = slot.highWatermark();
        long limit = committed ? Math.min(highWatermark, slot.lastStableOffset()) : highWatermark;
        entry.highWatermark = highWatermark;
        entry.lastStableOffset = slot.lastStableOffset();
        entry.logStartOffset = slot.logStartOffset();
        entry.limitOffset = limit;
        if (fetchOffset >= limit) {
            return 0;
        }
        int end;
        if (slot.segmentBaseOffset() == cursor.segmentBaseOffset) {
            // In a sealed and since compacted segment, the broker's high watermark keeps its old position beyond the
            // file's end.
            end = cursor.sealedBytes < 0
                    ? slot.highWatermarkPosition()
                    : Math.min(slot.highWatermarkPosition(), cursor.sealedBytes);
        } else if (slot.segmentBaseOffset() > cursor.segmentBaseOffset) {
            // Located as active, but the log has rolled since: the segment's size is unknown here.
            end = cursor.sealedBytes;
        } else {
            return -1;
        }
        if (end <= cursor.position) {
            return -1;
        } else if (limit == cursor.knownLimitOffset) {
            return cursor.knownLimitPosition - cursor.position;
        } else if (end <= cursor.segmentLengthBytes) {
            return end - cursor.position;
        }
        long within = cursor.segmentLengthBytes - cursor.position;
        if (within < BatchHeader.OVERHEAD_BYTES || cursor.nextBatchBytes > within) {
            return -1;
        }
        entry.windowed = true;
        return (int) within;
    }

    private static ReadPlan sizes(
            FetchRequestView request,
            Cursor[] cursors,
            int brokerMaxBytes,
            boolean noWait,
            int[] order,
            ReadPlan plan) {
        int entries = request.partitions.count;
        int maxBytes = Math.min(request.maxBytes, brokerMaxBytes);
        plan.minBytes = Math.min(request.minBytes, maxBytes);
        plan.due = noWait || request.maxWaitMs <= 0;
        int left = maxBytes;
        for (int k = 0; k < entries; k++) {
            int i = order[k];
            ReadPlan.Entry entry = plan.entries[i];
            int available = entry.availableBytes;
            int limit = Math.min(request.partitions.maxBytes(i), left);
            plan.isLimited |= limit < request.partitions.maxBytes(i) && available > limit;
            int batch = cursors[i].nextBatchBytes;
            if (available > limit && batch == 0 && (plan.firstNonEmpty < 0 || limit > 0)) {
                // Its first batch decides whether it yields anything, and how much is left for later entries.
                plan.probeEntry = i;
                return plan.as(ReadPlan.Kind.PROBE);
            }
            if (available > limit && plan.firstNonEmpty < 0) {
                limit = Math.max(limit, batch);
            } else if (available > limit && batch > limit) {
                // Not even one batch fits, and another partition has yielded data: serve nothing, as the broker does.
                entry.firstBatchTooLarge = limit > 0;
                limit = 0;
            }
            int length = Math.min(available, limit);
            entry.lengthBytes = length;
            if (length > 0) {
                plan.partitionsToRead++;
                plan.totalBytes += length;
                plan.firstNonEmpty = plan.firstNonEmpty < 0 ? i : plan.firstNonEmpty;
                left = Math.max(0, left - length);
            }
        }
        return plan.as(plan.due || plan.totalBytes >= plan.minBytes ? ReadPlan.Kind.READ : ReadPlan.Kind.WAIT);
    }
}
