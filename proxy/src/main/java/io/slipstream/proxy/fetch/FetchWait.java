// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.meter.FallbackReason;
import java.util.concurrent.TimeUnit;

/**
 * Waits of a Fetch: for records, with its slots armed, and for answers of the plugin. A parked Fetch sleeps until a
 * doorbell or the end of its wait. One timer serves all waits. Confined to the event loop.
 */
final class FetchWait {
    private final FetchAttempt attempt;
    private final long answerWaitNs;
    private final long readWaitNs;
    private final Runnable onTimer;

    private boolean armed;
    private boolean rang;
    /** Whether the request must be answered with the available data. */
    boolean over;
    /** Whether the last request found no data at first. */
    boolean parkedLast;

    private boolean parked;
    /** The last answer was empty: the slots are armed before their first READ, so that one READ suffices. */
    boolean expected;
    /** The proxy is about to stop: answer with the available data. */
    private boolean mayNotWait;

    private long waitUntilNs;
    private long parkedUntilNs;
    private long answerUntilNs;
    private long readUntilNs;
    private long timerAtNs = Long.MAX_VALUE;
    /** Number of this request's READs that have completed, and the number when the timer last found it reading. */
    int completions;

    private int completionsSeen;

    /**
     * @param answerWaitNs longest wait for the plugin
     * @param readWaitNs longest time in which no READ completes
     */
    FetchWait(FetchAttempt attempt, long answerWaitNs, long readWaitNs) {
        this.attempt = attempt;
        this.onTimer = attempt.path.guarded(this::onTimer);
        this.answerWaitNs = answerWaitNs;
        this.readWaitNs = readWaitNs;
    }

    void begin(long now, int maxWaitMs) {
        armed = false;
        rang = false;
        over = false;
        parkedLast = parked;
        parked = false;
        waitUntilNs = mayNotWait ? now : now + TimeUnit.MILLISECONDS.toNanos(Math.max(0, maxWaitMs));
        startReading(now);
    }

    private void startReading(long now) {
        completionsSeen = completions - 1;
        ensureTimer(now + readWaitNs);
    }

    void park() {
        if (armed && !rang) {
            sleep(waitUntilNs);
            return;
        }
        arm();
    }

    void arm() {
        armed = true;
        rang = false;
        if (!attempt.slots.arm(attempt.link, attempt.cursors.entries, attempt.view.partitions.count)) {
            attempt.fallBack(attempt.link.isUp() ? FallbackReason.LIMIT : FallbackReason.LINK_DOWN);
            return;
        }
        for (int i = 0; i < attempt.view.partitions.count; i++) {
            Cursor cursor = attempt.cursors.entries[i];
            if (!cursor.parked.isParked()) {
                attempt.link.slots.park(cursor.parked, cursor.slot);
            }
        }
        // A change before the words were armed causes no doorbell.
        attempt.readSlots(FetchPhase.READING_SLOTS);
    }

    void sleep(long untilNs) {
        parked = true;
        attempt.phase = FetchPhase.PARKED;
        attempt.slots.rest();
        attempt.meters.fetchWaits.increment();
        parkedUntilNs = untilNs;
        ensureTimer(untilNs);
    }

    /** Answers a waiting request with the available data, and later ones without a wait. */
    void stop() {
        mayNotWait = true;
        waitUntilNs = System.nanoTime();
        if (attempt.phase == FetchPhase.PARKED) {
            wake();
        }
    }

    private void wake() {
        attempt.meters.fetchWaits.decrement();
        armed = false;
        long now = System.nanoTime();
        over = waitUntilNs - now <= 0;
        startReading(now);
        attempt.onWake();
    }

    /** A slot of the request changed, or the lease expired. */
    void onSlotChanged() {
        rang = true;
        if (attempt.phase == FetchPhase.PARKED) {
            wake();
        }
    }

    /** Starts the deadline of a request to the plugin. */
    void awaitPlugin() {
        answerUntilNs = System.nanoTime() + answerWaitNs;
        ensureTimer(answerUntilNs);
    }

    /** One timer for all requests: it stays set when a request ends early, and checks the time when it fires. */
    void ensureTimer(long atNs) {
        if (timerAtNs - atNs > 0) {
            timerAtNs = atNs;
            attempt.loop.schedule(onTimer, Math.max(0, atNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private void onTimer() {
        timerAtNs = Long.MAX_VALUE;
        FetchPhase phase = attempt.phase;
        long now = System.nanoTime();
        if (phase == FetchPhase.LOCATING || phase == FetchPhase.LISTING) {
            if (answerUntilNs - now > 0) {
                ensureTimer(answerUntilNs);
            } else {
                attempt.fallBack(
                        phase == FetchPhase.LOCATING
                                ? FallbackReason.NOT_READABLE
                                : FallbackReason.ABORTED_TRANSACTIONS);
            }
        } else if (phase == FetchPhase.PARKED) {
            if (parkedUntilNs - now > 0) {
                ensureTimer(parkedUntilNs);
            } else {
                wake();
            }
        } else if (phase != FetchPhase.IDLE) {
            checkReading(phase, now);
        } else if (attempt.ahead.isHeld()) {
            if (attempt.ahead.dropAtNs() - now > 0) {
                ensureTimer(attempt.ahead.dropAtNs());
            } else {
                attempt.ahead.drop();
            }
        }
    }

    /** A device may still write into the memory of an overdue READ, so the link ends, which flushes it. */
    private void checkReading(FetchPhase phase, long now) {
        if (completionsSeen != completions || attempt.phase != phase) {
            completionsSeen = completions;
            readUntilNs = now + readWaitNs;
        }
        if (readUntilNs - now > 0) {
            ensureTimer(readUntilNs);
        } else if (attempt.outstanding > 0) {
            attempt.link.onReadOverdue();
        } else {
            attempt.fallBack(FallbackReason.LIMIT);
        }
    }

    void unpark() {
        for (int i = 0; i < attempt.cursors.entryCount; i++) {
            Cursor cursor = attempt.cursors.entries[i];
            if (cursor != null) {
                attempt.link.slots.unpark(cursor.parked);
            }
        }
        armed = false;
    }

    void end() {
        if (attempt.phase == FetchPhase.PARKED) {
            attempt.meters.fetchWaits.decrement();
        }
        unpark();
    }
}
