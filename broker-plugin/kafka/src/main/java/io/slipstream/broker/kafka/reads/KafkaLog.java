// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.AbortedInSegment;
import io.slipstream.broker.fetch.LogState;
import io.slipstream.broker.fetch.ReadableLog;
import io.slipstream.protocol.control.AbortedTransaction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Function;
import kafka.cluster.Partition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/**
 * A partition's log in one leader epoch.
 *
 * @param indexEntry converts an entry of a transaction index
 */
record KafkaLog(
        Partition led,
        UnifiedLog log,
        LogFields fields,
        Function<Object, AbortedTransaction> indexEntry,
        Object monitor,
        Uuid topicId,
        int leaderEpoch)
        implements ReadableLog {
    @Override
    public String topic() {
        return led.topic();
    }

    @Override
    public int partition() {
        return led.partitionId();
    }

    @Override
    public Object identity() {
        return log;
    }

    @Override
    public Object partitionIdentity() {
        return led;
    }

    @Override
    public boolean isServing() {
        Option<UnifiedLog> now = led.log();
        return led.isLeader()
                && led.getLeaderEpoch() == leaderEpoch
                && now.isDefined()
                && now.get() == log
                && isLocal(log);
    }

    /** Returns whether the log has no tiered storage, so that all its segments are local files. */
    static boolean isLocal(UnifiedLog log) {
        return !log.remoteLogEnabled();
    }

    @Override
    public boolean read(LogState state) {
        LogOffsetMetadata highWatermark = fields.highWatermark(log);
        if (highWatermark.messageOffsetOnly()) {
            try {
                highWatermark = log.maybeConvertToOffsetMetadata(highWatermark.messageOffset);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            if (highWatermark.messageOffsetOnly()) {
                return false;
            }
        }
        state.segmentBaseOffset = highWatermark.segmentBaseOffset;
        state.highWatermark = highWatermark.messageOffset;
        state.highWatermarkPosition = highWatermark.relativePositionInSegment;
        state.lastStableOffset = log.lastStableOffset();
        state.logStartOffset = log.logStartOffset();
        return true;
    }

    @Override
    public boolean hasAbortedTransactions() {
        return log.logSegments().stream()
                .anyMatch(segment -> !segment.txnIndex().isEmpty());
    }

    @Override
    public long lastAbortedOffset() {
        return fields.lastAbortedOffset(log.activeSegment().txnIndex());
    }

    @Override
    public AbortedInSegment abortedTransactions(long segmentBaseOffset, long fetchOffset) {
        try {
            return AbortedSearch.find(log, segmentBaseOffset, fetchOffset, indexEntry);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public int indexedBytes(long segmentBaseOffset, long offset) {
        try {
            return AbortedSearch.indexedBytes(log, segmentBaseOffset, offset);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
