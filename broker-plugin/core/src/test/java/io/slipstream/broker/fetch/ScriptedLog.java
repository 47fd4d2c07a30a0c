// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;

/** A log that a test moves. It reports each move as the broker's hooks do, under its lock. */
final class ScriptedLog implements ReadableLog {
    final LogState state = new LogState();
    private final Object lock = new Object();
    private final Object log = new Object();
    private final Object partition = new Object();
    private final Uuid topicId = Uuid.randomUuid();
    private final String topic;
    volatile boolean serving = true;
    volatile int leaderEpoch = 7;
    boolean positionKnown = true;
    boolean abortedTransactions;
    long lastAbortedOffset = -1;
    AbortedInSegment inSegment = new AbortedInSegment(Long.MAX_VALUE, true, List.of());
    /** Runs after the worker has noted the last stable offset and before it reads the indexes. */
    Runnable beforeSearch = () -> {};

    RuntimeException failure;

    ScriptedLog(String topic) {
        this.topic = topic;
        state.highWatermark = 10;
        state.highWatermarkPosition = 1000;
        state.lastStableOffset = 10;
    }

    /** Changes the state as an append, a follower's fetch or a DeleteRecords does. */
    void move(Consumer<LogState> change) {
        synchronized (lock) {
            change.accept(state);
            LogEvents.logChanged(log);
        }
    }

    void abortTransaction(long lastStableOffset) {
        synchronized (lock) {
            abortedTransactions = true;
            lastAbortedOffset++;
            LogEvents.abortedTransactionIndexed();
            state.lastStableOffset = lastStableOffset;
            LogEvents.logChanged(log);
        }
    }

    @Override
    public Uuid topicId() {
        return topicId;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public Object identity() {
        return log;
    }

    @Override
    public Object partitionIdentity() {
        return partition;
    }

    @Override
    public Object monitor() {
        return lock;
    }

    @Override
    public boolean isServing() {
        return serving;
    }

    @Override
    public boolean read(LogState into) {
        if (failure != null) {
            throw failure;
        }
        into.segmentBaseOffset = state.segmentBaseOffset;
        into.highWatermark = state.highWatermark;
        into.highWatermarkPosition = state.highWatermarkPosition;
        into.lastStableOffset = state.lastStableOffset;
        into.logStartOffset = state.logStartOffset;
        return positionKnown;
    }

    @Override
    public boolean hasAbortedTransactions() {
        return abortedTransactions;
    }

    @Override
    public long lastAbortedOffset() {
        return lastAbortedOffset;
    }

    @Override
    public AbortedInSegment abortedTransactions(long segmentBaseOffset, long fetchOffset) {
        beforeSearch.run();
        return inSegment;
    }

    @Override
    public int indexedBytes(long segmentBaseOffset, long offset) {
        return (int) offset * 10;
    }
}
