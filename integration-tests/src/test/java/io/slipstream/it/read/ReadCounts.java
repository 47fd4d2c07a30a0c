// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.util.concurrent.atomic.LongAdder;

/** Events that consumers met in a run, so that an uneventful run does not pass. Safe for concurrent use. */
final class ReadCounts {
    private static final int ASK_ONE_IN = 20;

    private final LongAdder committed = new LongAdder();
    private final LongAdder uncommitted = new LongAdder();
    private final LongAdder polls = new LongAdder();
    private final LongAdder seeks = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final LongAdder compacted = new LongAdder();
    private final LongAdder deleted = new LongAdder();
    private final LongAdder outOfRange = new LongAdder();

    void delivered(boolean readCommitted, int count) {
        (readCommitted ? committed : uncommitted).add(count);
        polls.increment();
    }

    /** Returns whether this poll should query the broker directly. */
    boolean isTimeToAsk() {
        return polls.sum() % ASK_ONE_IN == 0;
    }

    void seek() {
        seeks.increment();
    }

    void leftOut(boolean ofAbortedTransaction) {
        (ofAbortedTransaction ? aborted : compacted).increment();
    }

    void deleted() {
        deleted.increment();
    }

    void outOfRange() {
        outOfRange.increment();
    }

    long committed() {
        return committed.sum();
    }

    long uncommitted() {
        return uncommitted.sum();
    }

    long seeks() {
        return seeks.sum();
    }

    long aborted() {
        return aborted.sum();
    }

    long compacted() {
        return compacted.sum();
    }

    @Override
    public String toString() {
        return "%,d read_committed and %,d other records delivered by %,d polls after %,d seeks; not delivered: %,d aborted, %,d compacted, %,d deleted; %d times out of range"
                .formatted(
                        committed(),
                        uncommitted(),
                        polls.sum(),
                        seeks(),
                        aborted(),
                        compacted(),
                        deleted.sum(),
                        outOfRange.sum());
    }
}
