// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.broker.metrics.PluginMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The handlers of a {@link RingThread} that do not own its rings. One of them watches the owner, and takes over if a
 * request keeps the owner in the broker for a tick of 10 ms. The others wait until there is nobody who watches.
 *
 * <p>Each handler but one may be in the broker at a time. The last one polls the rings, and handles nothing.
 *
 * <p>The watcher looks once per tick while requests arrive. Without requests it rests until the next one.
 */
final class SpareHandlers {
    /** A request that takes longer is slow. Less would also hit threads that only wait for a processor. */
    static final long SLOW_NS = 10_000_000L;

    private static final long TICK_NS = SLOW_NS;
    private static final int TICKS_BEFORE_REST = 10;

    private final RingOwnership ownership;
    private final ArrayDeque<RingFrameIn> ready;
    private final AtomicInteger handlers = new AtomicInteger();
    /** Owner: handlers that are in the broker with a request although another one has taken over. */
    private final List<RingHandler> absent = new ArrayList<>();

    private final ReentrantLock watch = new ReentrantLock();
    private volatile Thread watcher;
    private volatile boolean resting;
    private volatile boolean stopped;

    /** @param ready the requests that are to be handled next, which belong to the owner */
    SpareHandlers(RingOwnership ownership, ArrayDeque<RingFrameIn> ready) {
        this.ownership = ownership;
        this.ready = ready;
    }

    /** Any thread: counts one more handler. */
    void add() {
        handlers.incrementAndGet();
    }

    /** Waits until the handler owns the rings. Returns false after the timeout, and once the ring thread is stopped. */
    boolean await(long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        if (!tryWatch(timeoutNs)) {
            return false;
        }
        try {
            watcher = Thread.currentThread();
            return watch(deadlineNs);
        } finally {
            watcher = null;
            watch.unlock();
        }
    }

    private boolean tryWatch(long timeoutNs) {
        try {
            return watch.tryLock() || watch.tryLock(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean watch(long deadlineNs) {
        long seen = -1;
        int quietTicks = 0;
        while (!stopped) {
            long entries = ownership.entries();
            RingHandler busy = ownership.inBroker();
            boolean isDue = busy == null ? ownership.isFree() : entries == seen || busy.isSlow();
            if (isDue && takeOver(busy)) {
                return true;
            }
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            quietTicks = entries == seen ? quietTicks + 1 : 0;
            seen = entries;
            if (quietTicks > TICKS_BEFORE_REST) {
                rest(entries, leftNs);
            } else {
                LockSupport.parkNanos(this, Math.min(TICK_NS, leftNs));
            }
        }
        return false;
    }

    /** The owner enters the broker, then looks whether the watcher rests; here it is the other way round. */
    private void rest(long entries, long leftNs) {
        resting = true;
        if (ownership.entries() == entries && !stopped) {
            LockSupport.parkNanos(this, leftNs);
        }
        resting = false;
    }

    /** Takes over from the handler that is in the broker, or from none. Returns whether this thread is the owner. */
    private boolean takeOver(RingHandler busy) {
        if (!ownership.takeOver(busy)) {
            return false;
        }
        settle();
        if (busy != null) {
            absent.add(busy);
            busy.postLater();
            RingFrameIn frame = busy.frame;
            if (frame != null) {
                frame.session.waitFor(frame);
                frame.link.counters.add(PluginMeter.REQUESTS_STUCK, 1);
            }
        }
        return true;
    }

    /** Owner or borrower: has the requests continue that waited for a handler that is back from the broker. */
    void settle() {
        for (int i = absent.size() - 1; i >= 0; i--) {
            RingHandler handler = absent.get(i);
            if (handler.isBack) {
                absent.remove(i);
                RingFrameIn frame = handler.frame;
                if (frame != null) {
                    frame.link.counters.add(PluginMeter.REQUESTS_STUCK, -1);
                    frame.session.handled(frame, ready);
                }
            }
        }
    }

    /** Owner or borrower: returns whether there is another handler for the rings while the owner is in the broker. */
    boolean isOneLeft() {
        return absent.isEmpty() || absent.size() < handlers.get() - 1;
    }

    /** Any thread: nobody waits from now on. */
    void stop() {
        stopped = true;
        wake();
    }

    /** Owner thread, in the broker from now on. If the request is known to be slow, the watcher takes over at once. */
    void watch(boolean isSlow) {
        if (isSlow || resting) {
            wake();
        }
    }

    /** Any thread: has the watcher look now. */
    void wake() {
        resting = false;
        LockSupport.unpark(watcher);
    }
}
