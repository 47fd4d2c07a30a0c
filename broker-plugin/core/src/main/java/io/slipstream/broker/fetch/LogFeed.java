// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes one log's watermarks to the slots of all links that were granted the log.
 *
 * <p>There is one writer at a time: every method runs under the log's own lock ({@link ReadableLog#monitor()}). The
 * broker holds this lock for every change that is published here. A broker thread that moved a watermark already holds
 * it, because the hook is inside the locked method. The plugin's threads take it.
 *
 * <pre>
 * UNPRIMED ──first state known──▶ SERVING ──leadership, log or file changed, or state went back──▶ REVOKED (final)
 * </pre>
 */
final class LogFeed {
    private static final Logger log = LoggerFactory.getLogger(LogFeed.class);
    private static final GrantedSlot[] NONE = new GrantedSlot[0];

    private enum Phase {
        UNPRIMED,
        SERVING,
        REVOKED
    }

    final ReadableLog readable;
    private final AtomicLong abortedSignal;
    private GrantedSlot[] slots = NONE;
    private LogState published = new LogState();
    private LogState next = new LogState();
    private boolean abortedTransactions;
    /** Published with each state. It rises when an aborted transaction of this log is indexed. */
    private int abortedCount;

    /**
     * An aborted transaction was indexed and is not published. Noted at once, because the log may roll before the next
     * state can be read.
     */
    private boolean abortedUnpublished;

    private long lastAbortedOffset;
    private long seenAbortedSignal;
    private Phase phase = Phase.UNPRIMED;

    LogFeed(ReadableLog readable, AtomicLong abortedSignal) {
        this.readable = readable;
        this.abortedSignal = abortedSignal;
    }

    /** Reads the first state. Returns false if the broker does not know the byte position of the high watermark now. */
    boolean prime() {
        assert Thread.holdsLock(readable.monitor());
        seenAbortedSignal = abortedSignal.get();
        lastAbortedOffset = readable.lastAbortedOffset();
        abortedTransactions = readable.hasAbortedTransactions();
        if (!readable.read(published)) {
            return false;
        }
        phase = Phase.SERVING;
        return true;
    }

    boolean isServing() {
        return phase == Phase.SERVING;
    }

    boolean hasSlots() {
        return slots.length > 0;
    }

    /** Returns the base offset of the segment that contains the published high watermark. */
    long publishedSegmentBaseOffset() {
        assert Thread.holdsLock(readable.monitor());
        return published.segmentBaseOffset;
    }

    long publishedLastStableOffset() {
        assert Thread.holdsLock(readable.monitor());
        return published.lastStableOffset;
    }

    /** Returns the count that was published with that last stable offset. */
    int abortedCount() {
        assert Thread.holdsLock(readable.monitor());
        return abortedCount;
    }

    void add(GrantedSlot slot) {
        assert Thread.holdsLock(readable.monitor());
        slots = Arrays.copyOf(slots, slots.length + 1);
        slots[slots.length - 1] = slot;
        slot.publish(readable.leaderEpoch(), published, abortedTransactions, abortedCount);
    }

    void remove(GrantedSlot slot) {
        assert Thread.holdsLock(readable.monitor());
        for (int i = 0; i < slots.length; i++) {
            if (slots[i] == slot) {
                GrantedSlot[] rest = Arrays.copyOf(slots, slots.length - 1);
                System.arraycopy(slots, i + 1, rest, i, rest.length - i);
                slots = rest;
                return;
            }
        }
    }

    /**
     * The broker may have moved a watermark. Runs on the broker's thread, inside its lock: bounded, no allocation,
     * never blocks.
     */
    void logChanged() {
        assert Thread.holdsLock(readable.monitor());
        abortedUnpublished |= sawAbortedTransaction();
        if (phase != Phase.SERVING || !readable.read(next)) {
            return; // without a position the older, lower watermark stays published, until the next move
        }
        boolean aborted = abortedUnpublished;
        if (next.wentBackFrom(published)) {
            revoke("its watermarks went back");
            return;
        }
        if (!aborted && next.sameAs(published)) {
            return;
        }
        if (aborted) {
            abortedUnpublished = false;
            abortedTransactions = true;
            abortedCount++;
        }
        LogState previous = published;
        published = next;
        next = previous;
        for (GrantedSlot slot : slots) {
            slot.publish(readable.leaderEpoch(), published, abortedTransactions, abortedCount);
        }
    }

    private boolean sawAbortedTransaction() {
        long count = abortedSignal.get();
        if (count == seenAbortedSignal) {
            return false;
        }
        seenAbortedSignal = count;
        long last = readable.lastAbortedOffset();
        boolean saw = last > lastAbortedOffset;
        if (saw) {
            lastAbortedOffset = last;
        }
        return saw;
    }

    /** Revokes the log in all its slots, permanently. Returns the number of slots. */
    int revoke(String reason) {
        assert Thread.holdsLock(readable.monitor());
        if (phase == Phase.REVOKED) {
            return 0;
        }
        phase = Phase.REVOKED;
        for (GrantedSlot slot : slots) {
            slot.publishRevoked();
        }
        if (log.isDebugEnabled()) {
            log.debug("Revoked {} slots of {}-{}: {}", slots.length, readable.topic(), readable.partition(), reason);
        }
        return slots.length;
    }
}
