// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.AbortedInSegment;
import io.slipstream.protocol.control.AbortedTransaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.apache.kafka.storage.internals.log.OffsetPosition;
import org.apache.kafka.storage.internals.log.TxnIndexSearchResult;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * Finds aborted transactions in the transaction indexes. {@code LocalLog.addAbortedTransactions} does so for one Fetch;
 * this class does so for all Fetches that read one segment.
 *
 * <p>The broker's method lists the transactions that begin below an upper bound. The bound comes from the first entry
 * in the segment's offset index whose position is not below the end of the read. It is the offset of that entry, or
 * else the base offset of the next segment. Offsets and positions both rise from entry to entry. A transaction is
 * therefore listed if and only if the last entry at or below its first offset lies below the end of the read. The
 * search returns the position of that entry with the transaction.
 */
final class AbortedSearch {
    /** Limit of a segment's transaction index. If the index is larger, a search covers only a part of the segment. */
    private static final long MOST_INDEX_BYTES = 1 << 20;

    private static final int PART_BYTES = 4 << 20;
    private static final int NONE = -1;

    private AbortedSearch() {}

    /**
     * Returns null if the log has no segment with that base offset.
     *
     * @param indexEntry converts an entry of a transaction index
     */
    static AbortedInSegment find(
            UnifiedLog log, long segmentBaseOffset, long fetchOffset, Function<Object, AbortedTransaction> indexEntry)
            throws IOException {
        List<LogSegment> segments = log.logSegments(segmentBaseOffset, Long.MAX_VALUE);
        if (segments.isEmpty() || segments.get(0).baseOffset() != segmentBaseOffset) {
            return null;
        }
        LogSegment segment = segments.get(0);
        long segmentEnd = segments.size() > 1 ? segments.get(1).baseOffset() : Long.MAX_VALUE;
        long end = Math.min(segmentEnd, partEnd(segment, fetchOffset));
        List<AbortedTransaction> found = new ArrayList<>();
        for (LogSegment indexed : segments) {
            TxnIndexSearchResult result = indexed.collectAbortedTxns(fetchOffset, end);
            for (Object entry : result.abortedTransactions()) {
                AbortedTransaction aborted = indexEntry.apply(entry);
                found.add(new AbortedTransaction(
                        aborted.producerId(),
                        aborted.firstOffset(),
                        aborted.lastOffset(),
                        indexedBytes(segment, aborted.firstOffset())));
            }
            if (result.isComplete()) {
                break;
            }
        }
        return new AbortedInSegment(end, end == segmentEnd, found);
    }

    private static long partEnd(LogSegment segment, long fetchOffset) throws IOException {
        if (segment.txnIndex().file().length() <= MOST_INDEX_BYTES) {
            return Long.MAX_VALUE;
        }
        OffsetPosition from = segment.offsetIndex().lookup(fetchOffset);
        return segment.fetchUpperBoundOffset(from, PART_BYTES).orElse(Long.MAX_VALUE);
    }

    static int indexedBytes(UnifiedLog log, long segmentBaseOffset, long offset) throws IOException {
        List<LogSegment> segments = log.logSegments(segmentBaseOffset, segmentBaseOffset + 1);
        return segments.isEmpty() ? NONE : indexedBytes(segments.get(0), offset);
    }

    private static int indexedBytes(LogSegment segment, long offset) throws IOException {
        OffsetIndex index = segment.offsetIndex();
        int position = index.lookup(offset).position();
        if (position == 0) {
            // The first batch of a segment has no entry.
            return NONE;
        }
        // The broker searches for the first entry at or above a position, but skips the index's first entry.
        return position == index.entry(0).position() ? position - 1 : position;
    }
}
