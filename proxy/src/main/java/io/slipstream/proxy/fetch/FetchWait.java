package io.slipstream.proxy.fetch;

import io.netty.channel.EventLoop;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.read.SlotWaiter;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.proxy.spi.FallbackReason;
import java.util.concurrent.TimeUnit;

/**
 * How a Fetch waits: for records, with its slots armed, and for answers of the plugin. A parked Fetch sleeps until a
 * doorbell rings or its wait is over. One timer for all; confined to the event loop.
 */
final class FetchWait implements SlotWaiter {
    private final FetchAttempt attempt;
    private final EventLoop loop;
    private final LinkMeters meters;
    private final FetchRequestView view;
    private final long answerWaitNs;
    private final Runnable onTimer = this::onTimer;

    private boolean armed;
    private boolean rang;
    private boolean over;
    /** The last answer was empty: the slots are armed before the first look at them, and so looked at once only. */
    private boolean expected;
    /** The proxy is about to stop: answers what there is. */
    private boolean mayNotWait;

    private long waitUntilNs;
    private long parkedUntilNs;
    private long answerUntilNs;
    private long timerAtNs = Long.MAX_VALUE;

    /** @param answerWaitNs longest wait for the plugin */
    FetchWait(FetchAttempt attempt, EventLoop loop, LinkMeters meters, FetchRequestView view, long answerWaitNs) {
        this.attempt = attempt;
        this.loop = loop;
        this.meters = meters;
        this.view = view;
        this.answerWaitNs = answerWaitNs;
    }

    /** A request that waits so long at most begins. */
    void begin(long now, int maxWaitMs) {
        armed = false;
        rang = false;
        over = false;
        waitUntilNs = mayNotWait ? now : now + TimeUnit.MILLISECONDS.toNanos(Math.max(0, maxWaitMs));
    }

    /** Whether the request must be answered with what there is. */
    boolean isOver() {
        return over;
    }

    boolean isExpected() {
        return expected;
    }

    void expect(boolean next) {
        expected = next;
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
        if (!attempt.slots.arm(attempt.link, attempt.cursors.entries(), view.partitionCount())) {
            attempt.fallBack(attempt.link.isUp() ? FallbackReason.LIMIT : FallbackReason.LINK_DOWN);
            return;
        }
        for (int i = 0; i < view.partitionCount(); i++) {
            Cursor cursor = attempt.cursors.entries()[i];
            if (!cursor.parked.isParked()) {
                attempt.link.slots().park(cursor.parked, cursor.slot);
            }
        }
        // What changed before the words were armed rings no bell.
        attempt.readSlots(FetchPhase.READING_SLOTS);
    }

    void sleep(long untilNs) {
        attempt.phase = FetchPhase.PARKED;
        attempt.slots.rest();
        meters.fetchWaits.increment();
        parkedUntilNs = untilNs;
        ensureTimer(untilNs);
    }

    /**
     * Answers the request that waits, if one does, with what there is, and later ones as if their clients would not
     * wait.
     */
    void stop() {
        mayNotWait = true;
        waitUntilNs = System.nanoTime();
        if (attempt.phase == FetchPhase.PARKED) {
            wake();
        }
    }

    private void wake() {
        meters.fetchWaits.decrement();
        armed = false;
        over = waitUntilNs - System.nanoTime() <= 0;
        attempt.onWake();
    }

    @Override
    public void onSlotChanged() {
        rang = true;
        if (attempt.phase == FetchPhase.PARKED) {
            wake();
        }
    }

    /** The plugin was asked; it has so long. */
    void awaitPlugin() {
        answerUntilNs = System.nanoTime() + answerWaitNs;
        ensureTimer(answerUntilNs);
    }

    /** One timer for all requests: it is not moved when a request ends early, and looks again when it fires. */
    void ensureTimer(long atNs) {
        if (timerAtNs - atNs > 0) {
            timerAtNs = atNs;
            loop.schedule(onTimer, Math.max(0, atNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private void onTimer() {
        timerAtNs = Long.MAX_VALUE;
        long now = System.nanoTime();
        FetchPhase phase = attempt.phase;
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
        } else if (phase == FetchPhase.IDLE && attempt.ahead.isHeld()) {
            if (attempt.ahead.dropAtNs() - now > 0) {
                ensureTimer(attempt.ahead.dropAtNs());
            } else {
                attempt.ahead.drop();
            }
        }
    }

    void unpark() {
        for (int i = 0; i < attempt.cursors.entryCount(); i++) {
            Cursor cursor = attempt.cursors.entries()[i];
            if (cursor != null) {
                attempt.link.slots().unpark(cursor.parked);
            }
        }
        armed = false;
    }

    /** The request has ended. */
    void end() {
        if (attempt.phase == FetchPhase.PARKED) {
            meters.fetchWaits.decrement();
        }
        unpark();
    }
}
