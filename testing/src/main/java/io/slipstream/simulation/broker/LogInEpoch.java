// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.fetch.AbortedInSegment;
import io.slipstream.broker.fetch.LogState;
import io.slipstream.broker.fetch.ReadableLog;
import org.apache.kafka.common.Uuid;

/** A log as the plugin reads it, in one leader epoch and one life of the broker. */
final class LogInEpoch implements ReadableLog {
    private final ModelLog log;
    private final Object logIdentity;
    private final Object ofPartition;
    private final int epoch;

    LogInEpoch(ModelLog log, Object logIdentity, Object ofPartition, int epoch) {
        this.log = log;
        this.logIdentity = logIdentity;
        this.ofPartition = ofPartition;
        this.epoch = epoch;
    }

    @Override
    public Uuid topicId() {
        return log.topicId();
    }

    @Override
    public String topic() {
        return log.topic();
    }

    @Override
    public int partition() {
        return log.partition();
    }

    @Override
    public int leaderEpoch() {
        return epoch;
    }

    @Override
    public Object identity() {
        return logIdentity;
    }

    @Override
    public Object partitionIdentity() {
        return ofPartition;
    }

    @Override
    public Object monitor() {
        return log.lock();
    }

    @Override
    public boolean isServing() {
        return log.isLeading() && epoch == log.leaderEpoch() && logIdentity == log.identity();
    }

    @Override
    public boolean read(LogState state) {
        LoggedBatch next = log.at(log.highWatermark());
        ModelSegment active = log.active();
        ModelLog.Watermarks now = log.watermarks();
        state.segmentBaseOffset =
                next == null ? active.baseOffset() : next.segment().baseOffset();
        state.highWatermarkPosition = next == null ? active.sizeBytes() : next.position();
        state.highWatermark = now.highWatermark();
        state.lastStableOffset = now.lastStableOffset();
        state.logStartOffset = now.logStartOffset();
        return true;
    }

    @Override
    public boolean hasAbortedTransactions() {
        return !log.aborted().isEmpty();
    }

    @Override
    public long lastAbortedOffset() {
        int count = log.aborted().size();
        long last = count == 0 ? -1 : log.aborted().get(count - 1).lastOffset();
        return last < log.active().baseOffset() ? -1 : last;
    }

    @Override
    public AbortedInSegment abortedTransactions(long segmentBaseOffset, long fetchOffset) {
        return TransactionSearch.find(log.world(), log, segmentBaseOffset, fetchOffset);
    }

    @Override
    public int indexedBytes(long segmentBaseOffset, long offset) {
        return TransactionSearch.indexedBytes(log, segmentBaseOffset, offset);
    }
}
