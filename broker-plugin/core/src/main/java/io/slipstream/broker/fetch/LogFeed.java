// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries one log's watermarks to the slots of all links that were granted it.
 *
 * <p>One writer at a time: every method runs under the log's own lock ({@link ReadableLog#monitor()}), the one that the
 * broker holds whenever it changes what is published here. A broker thread that moved a watermark already has it (the
 * hook is inside the locked method), and the threads of the plugin take it.
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
    /** Published with each state: rises when an aborted transaction of this log was indexed. */
    private int abortedCount;

    /** One was indexed; noted at once, since the log may roll before the next state can be read. */
    private boolean abortedUnpublished;

    private long lastAbortedOffset;
    private long seenAbortedSignal;
    private Phase phase = Phase.UNPRIMED;

    LogFeed(ReadableLog readable, AtomicLong abortedSignal) {
        this.readable = readable;
        this.abortedSignal = abortedSignal;
    }

    /** Reads the first state. False if the broker cannot tell the high watermark's position now. */
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

    /** Base offset of the segment in which the published high watermark lies. */
    long publishedSegmentBaseOffset() {
        assert Thread.holdsLock(readable.monitor());
        return published.segmentBaseOffset;
    }

    long publishedLastStableOffset() {
        assert Thread.holdsLock(readable.monitor());
        return published.lastStableOffset;
    }

    /** As published with that last stable offset. */
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
     * The broker may have moved a watermark. On the broker's thread, inside its lock: bounded, no allocation, never
     * blocks.
     */
    void logChanged() {
        assert Thread.holdsLock(readable.monitor());
        abortedUnpublished |= sawAbortedTransaction();
        if (phase != Phase.SERVING || !readable.read(next)) {
            return; // without a position the older, lower watermark stays published: safe, and corrected by the next
            // move
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

    /** Tells every reader, for good, that this log must not be read through its slots any more; how many slots. */
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
