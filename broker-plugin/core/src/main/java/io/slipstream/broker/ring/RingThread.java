// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.SpinPause;
import io.slipstream.rdma.WorkCompletion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * The polling of the rings of some links. It is the work of one thread at a time, the owner ({@link RingOwnership}),
 * which polls the completion queue of the links, and posts replies and doorbells. Without work it sleeps on the
 * completion queue's descriptor. While it sleeps, a thread that queues a reply posts it on behalf of the owner.
 *
 * <p>The owner is one of the {@link RingHandler}s, and handles the requests itself. If one keeps it in the broker,
 * another handler becomes the owner. The last spare handler handles nothing, so the rings are always polled.
 *
 * <p>Methods without another note belong to the owner.
 */
public final class RingThread {
    private static final int COMPLETIONS_PER_POLL = 32;
    /**
     * Largest number of small requests whose answers are posted together, so that one wake-up of a sleeping proxy
     * serves all.
     */
    public static final int MOST_HELD_REPLIES = 8;
    /** Largest request for which earlier answers wait: it takes a few microseconds of work. */
    private static final int SMALL_REQUEST_BYTES = 4096;
    /** Largest number of links for which a thread posts on behalf of the sleeping owner before it wakes the owner. */
    private static final int MOST_LINKS_FOR_SLEEPER = 16;

    public final CompletionQueue completionQueue;
    private final long maxSpinNs;
    private final int mostHeldReplies;
    private final ManyToOneConcurrentArrayQueue<RingLink> scheduled;
    private final WorkCompletion[] completions = new WorkCompletion[COMPLETIONS_PER_POLL];
    final ArrayDeque<RingFrameIn> ready = new ArrayDeque<>();
    /** Bounded by the requests that the links may have unanswered. */
    private final Queue<Object> tasks = new ConcurrentLinkedQueue<>();

    private final Int2ObjectHashMap<RingLink> links = new Int2ObjectHashMap<>();
    /** Links that need {@link #work} after some time, although nobody schedules them. */
    private final List<RingLink> stalledLinks = new ArrayList<>();

    final RingOwnership ownership = new RingOwnership();
    final SpareHandlers spares = new SpareHandlers(ownership, ready);
    /** The owner that sleeps, or slept last. */
    private RingHandler sleeper;

    private volatile boolean woken;
    /** Number of wake-ups, by events or by timeout. */
    volatile long wakings;

    /** When the present completions were taken from the queue. */
    long polledAtNs;

    private int handedOutSinceWork;
    /** The last request that was handed out, until it is known to be handled. */
    private RingFrameIn inHandling;
    /** Number of turns of {@link #work}; each turn posts replies. */
    private long works;

    private final SpinPause pause = new SpinPause(System::nanoTime, Thread::yield);
    private long spinNs;

    /**
     * @param maxLinks largest number of links of this thread at a time, including closing ones
     * @param maxSpinNs how long to spin before sleeping, while wake-ups come within twice that time; 0 to sleep at once
     * @param mostHeldReplies largest number of requests that are handled before their answers are posted together
     */
    public RingThread(CompletionQueue completionQueue, int maxLinks, long maxSpinNs, int mostHeldReplies) {
        this.completionQueue = completionQueue;
        this.maxSpinNs = maxSpinNs;
        this.mostHeldReplies = mostHeldReplies;
        this.scheduled = new ManyToOneConcurrentArrayQueue<>(Math.max(2, 2 * maxLinks));
        for (int i = 0; i < completions.length; i++) {
            completions[i] = new WorkCompletion();
        }
    }

    /**
     * Any thread: queues the link for the owner. When the owner has taken it for the first time,
     * {@link RingLink#attached} completes.
     */
    public void schedule(RingLink link) {
        if (queue(link)) {
            postOrWake();
        }
    }

    /** Any thread that may hold a lock of the broker: as {@link #schedule}, but posts nothing now. */
    void scheduleOnly(RingLink link) {
        if (queue(link) && ownership.isAsleep() && !RingHandler.mayPostLater(this)) {
            sleeper.wake();
        }
    }

    private boolean queue(RingLink link) {
        if (!link.scheduled.compareAndSet(false, true)) {
            return false;
        }
        if (!scheduled.offer(link)) {
            throw new IllegalStateException("more links than configured: each is queued at most once");
        }
        return true;
    }

    /** Any thread: has scheduled work done if the owner sleeps. */
    void postOrWake() {
        if (ownership.isAsleep() && !postForSleeper()) {
            sleeper.wake();
        }
    }

    /** Any thread: posts on behalf of the sleeping owner. Returns whether no scheduled work is left for it. */
    private boolean postForSleeper() {
        boolean isAllDone = true;
        // If another thread holds the loan, the work stays in the queue: that thread reads the queue again after it
        // gave the loan back.
        while (isAllDone && !scheduled.isEmpty() && ownership.tryBorrow()) {
            try {
                isAllDone = postScheduled();
            } finally {
                completionQueue.handOver();
                ownership.giveBack();
            }
        }
        return isAllDone;
    }

    private boolean postScheduled() {
        spares.settle();
        for (int i = 0; i < MOST_LINKS_FOR_SLEEPER; i++) {
            RingLink link = scheduled.poll();
            if (link == null) {
                return !mayHandOut();
            }
            link.scheduled.set(false);
            if (!link.postForOwner()) {
                if (link.scheduled.compareAndSet(false, true)) {
                    scheduled.offer(link);
                }
                return false;
            }
        }
        return false;
    }

    /** Any thread: makes {@link #poll} return. */
    public void wakeUp() {
        woken = true;
        if (ownership.isAsleep()) {
            sleeper.wake();
        }
    }

    /** Any thread: from now on no handler waits to become the owner. */
    public void stop() {
        spares.stop();
        wakeUp();
    }

    /** Returns whether a request is ready, and a handler is left to poll while another one handles it. */
    private boolean mayHandOut() {
        return !ready.isEmpty() && spares.isOneLeft();
    }

    /** Any thread: adds work for one of the handlers, which may block: a callback of the broker, or a file to read. */
    public void addTask(Object task) {
        tasks.add(task);
        wakeUp();
    }

    /** Returns the next task, if a handler is left to poll while another one does it; else null. */
    public Object takeTask() {
        return spares.isOneLeft() ? tasks.poll() : null;
    }

    RingFrameIn poll(RingHandler owner, long timeoutMs) {
        owner.start();
        RingFrameIn frame = next();
        if (frame != null || takeWakeUp()) {
            return frame;
        }
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < spinNs) {
            pause.pause();
            frame = next();
            if (frame != null || takeWakeUp()) {
                return frame;
            }
        }
        sleep(owner, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
        if (maxSpinNs > 0) {
            spinNs = System.nanoTime() - startNs < 2 * maxSpinNs ? maxSpinNs : spinNs / 2;
        }
        frame = next();
        takeWakeUp();
        return frame;
    }

    private boolean takeWakeUp() {
        if (woken) {
            woken = false;
            return true;
        }
        return false;
    }

    private void sleep(RingHandler owner, long timeoutNs) {
        try {
            completionQueue.arm();
            pollCompletions();
            if (!mayHandOut()) {
                long waitNs = timeoutNs;
                for (int i = 0; i < stalledLinks.size(); i++) {
                    waitNs = Math.min(waitNs, stalledLinks.get(i).workAgainNs());
                }
                completionQueue.handOver();
                sleeper = owner;
                ownership.fallAsleep();
                try {
                    if (scheduled.isEmpty() && !woken) {
                        owner.sleep(waitNs);
                    }
                } finally {
                    ownership.wake();
                    wakings++;
                }
            }
            if (owner.takeEvents()) {
                completionQueue.acknowledgeEvents();
            }
        } finally {
            // While this thread is awake it needs no events. Without this call each empty poll would arm the queue, and
            // each request would cost an event.
            completionQueue.disarm();
        }
    }

    private RingFrameIn next() {
        if (inHandling != null) {
            // Handling may have released ring space without an answer.
            schedule(inHandling.link);
            inHandling = null;
        }
        if (!mayHoldReplies()) {
            handedOutSinceWork = 0;
            work();
            pollCompletions();
        }
        handedOutSinceWork++;
        while (mayHandOut()) {
            RingFrameIn frame = ready.pollFirst();
            RingSession session = frame.session;
            if (frame.link.isOver() || session == null || session.bound.isEnded()) {
                refuse(frame);
            } else if (session.isLeftToTcp) {
                leaveToTcp(frame);
            } else if (!session.holdBack(frame)) {
                return handedOut(frame);
            }
        }
        return null;
    }

    /**
     * Posts waiting replies first if the session requires it. The frame may differ from the one that
     * {@link #mayHoldReplies} checked, because a barrier may hold earlier frames back.
     */
    private RingFrameIn handedOut(RingFrameIn frame) {
        if (!frame.session.mayHoldReplies(works)) {
            work();
        }
        frame.session.handedOutIn = works;
        inHandling = frame;
        return frame;
    }

    /** Returns whether waiting posts may wait until one more request is handled. */
    private boolean mayHoldReplies() {
        RingFrameIn first = ready.peekFirst();
        return first != null
                && spares.isOneLeft()
                && handedOutSinceWork < mostHeldReplies
                && first.payload().capacity() <= SMALL_REQUEST_BYTES
                && (first.session == null || first.session.mayHoldReplies(works));
    }

    /**
     * Answers with a close of the connection: the broker does not know the session, or would have closed its
     * connection.
     */
    public void refuse(RingFrameIn frame) {
        frame.releaseBytes();
        frame.link.reply(RingReply.ofFlags(frame, RingFrame.FLAG_CLOSE_CONNECTION));
    }

    /**
     * Leaves the request to TCP, as the broker's settings demand. The session's later requests follow
     * it, so that their order is kept. None of them has been executed.
     */
    public void leaveToTcp(RingFrameIn frame) {
        frame.session.isLeftToTcp = true;
        frame.releaseBytes();
        frame.link.reply(RingReply.ofFlags(frame, RingFrame.FLAG_TAKE_TCP));
    }

    private void work() {
        works++;
        spares.settle();
        for (int i = stalledLinks.size() - 1; i >= 0; i--) {
            schedule(stalledLinks.remove(i));
        }
        RingLink link;
        while ((link = scheduled.poll()) != null) {
            link.scheduled.set(false);
            if (link.drained.isDone()) {
                // A stale entry of the queue. The queue pair may be gone, and its number may belong to another link.
                link.work();
                continue;
            }
            links.put(link.queuePairNumber(), link);
            link.work();
            if (link.workAgainNs() < Long.MAX_VALUE) {
                stalledLinks.add(link);
            }
            if (link.drained.isDone()) {
                links.remove(link.queuePairNumber());
            }
        }
    }

    private void pollCompletions() {
        int count;
        do {
            count = completionQueue.poll(completions);
            if (count > 0) {
                polledAtNs = System.nanoTime();
            }
            for (int i = 0; i < count; i++) {
                RingLink link = links.get(completions[i].qpNumber);
                if (link != null) {
                    link.onCompletion(completions[i], ready);
                }
            }
        } while (count == completions.length);
    }
}
