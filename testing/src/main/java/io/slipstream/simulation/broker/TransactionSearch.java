// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.fetch.AbortedInSegment;
import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.simulation.World;
import java.util.ArrayList;
import java.util.List;

/** Finds aborted transactions as a broker does, with an offset index that has an entry for each batch. */
final class TransactionSearch {
    private static final int NONE = -1;
    /** Often the indexes are so long that a search covers a part of the segment only. */
    private static final int PARTIAL_PERCENT = 50;

    private static final int MOST_BATCHES = 4;

    private TransactionSearch() {}

    /** Returns null if the log has no segment with that base offset. */
    static AbortedInSegment find(World world, ModelLog log, long segmentBaseOffset, long fetchOffset) {
        ModelSegment segment = segment(log, segmentBaseOffset);
        if (segment == null) {
            return null;
        }
        int next = log.segments().indexOf(segment) + 1;
        long segmentEnd =
                next < log.segments().size() ? log.segments().get(next).baseOffset() : Long.MAX_VALUE;
        long end = world.chance(PARTIAL_PERCENT) ? partEnd(world, log, segment, fetchOffset, segmentEnd) : segmentEnd;
        List<AbortedTransaction> found = new ArrayList<>();
        for (AbortedTransaction each : log.aborted()) {
            if (each.lastOffset() >= fetchOffset && each.firstOffset() < end) {
                int from = indexedBytes(log, segmentBaseOffset, each.firstOffset());
                found.add(new AbortedTransaction(each.producerId(), each.firstOffset(), each.lastOffset(), from));
            }
        }
        return new AbortedInSegment(end, end == segmentEnd, found);
    }

    private static long partEnd(World world, ModelLog log, ModelSegment segment, long fetchOffset, long segmentEnd) {
        long end = fetchOffset;
        for (int batches = 1 + world.random(MOST_BATCHES); batches > 0; batches--) {
            LoggedBatch batch = log.at(end);
            if (batch == null || batch.segment() != segment) {
                return segmentEnd;
            }
            end = batch.lastOffset() + 1;
        }
        return Math.min(end, segmentEnd);
    }

    /** Returns the position of the last entry at or below the offset. As in Kafka, the first batch has no entry. */
    static int indexedBytes(ModelLog log, long segmentBaseOffset, long offset) {
        ModelSegment segment = segment(log, segmentBaseOffset);
        LoggedBatch batch = log.at(offset);
        if (segment == null || batch == null && log.endOffset() > offset || offset < segmentBaseOffset) {
            return NONE;
        }
        int position = batch == null || batch.segment() != segment ? segment.sizeBytes() : batch.position();
        return position == 0 ? NONE : position;
    }

    private static ModelSegment segment(ModelLog log, long baseOffset) {
        return log.segments().stream()
                .filter(each -> each.baseOffset() == baseOffset)
                .findFirst()
                .orElse(null);
    }
}
