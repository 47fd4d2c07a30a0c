// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.broker.config.HandlerPollMode;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.WorkCompletion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where one request handler thread finds its work: it polls the completion queue of the links it owns, posts replies
 * and doorbells, and sleeps on the completion queue's descriptor when there is nothing to do, without a thread in
 * between. While it sleeps, a thread that leaves a reply or a doorbell posts it on behalf of the owner, see
 * {@link OwnerLoan}.
 *
 * <p>{@link #poll} and {@link #close} belong to the handler thread, {@link #schedule}, {@link #attach} and
 * {@link #wakeUp} to anyone.
 */
public final class RingThread implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RingThread.class);
    private static final int COMPLETIONS_PER_POLL = 32;
    /**
     * Answers of so many small requests may wait for each other, so that a sleeping proxy is woken once for all of
     * them.
     */
    public static final int MOST_HELD_REPLIES = 8;
    /** What a request may have at most for earlier answers to wait until it is handled; a few microseconds of work. */
    private static final int SMALL_REQUEST_BYTES = 4096;
    /** As many may a thread that has work of its own post for before it wakes the owner. */
    private static final int MOST_LINKS_FOR_SLEEPER = 16;
    /** How often to look for room in a reply ring: a peer that frees it does not wake us. */
    private static final long STALL_CHECK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A task, unlike a mere wake-up, is not missed by a loop that has looked for work and is about to sleep. */
    private static final Runnable NOTHING = () -> {};

    private final CompletionQueue completionQueue;
    private final HandlerPollMode mode;
    private final long maxSpinNs;
    private final int mostHeldReplies;
    private final ManualIoEventLoop loop;
    private final ManyToOneConcurrentArrayQueue<RingLink> scheduled;
    private final WorkCompletion[] completions = new WorkCompletion[COMPLETIONS_PER_POLL];
    private final ArrayDeque<RingFrameIn> ready = new ArrayDeque<>();
    private final Int2ObjectHashMap<RingLink> links = new Int2ObjectHashMap<>();
    private final List<RingLink> stalledLinks = new ArrayList<>();
    private final OwnerLoan loan = new OwnerLoan();
    private volatile boolean woken;
    private volatile long wakings;
    private boolean hasEvents;
    private long polledAtNs;
    private boolean started;
    private int handedOutSinceWork;
    /** How often {@link #work} was done, and so replies were posted. */
    private long works;

    private long spinNs;

    /**
     * @param maxLinks most links it will own at a time, closing ones included
     * @param maxSpinNs {@link HandlerPollMode#ADAPTIVE}: how long to spin before sleeping, while wake-ups come within
     *     twice that time
     * @param mostHeldReplies requests handled before their answers are posted together, at most
     */
    public RingThread(
            CompletionQueue completionQueue, int maxLinks, HandlerPollMode mode, long maxSpinNs, int mostHeldReplies) {
        this.completionQueue = completionQueue;
        this.mode = mode;
        this.maxSpinNs = maxSpinNs;
        this.mostHeldReplies = mostHeldReplies;
        this.loop = new ManualIoEventLoop(null, EpollIoHandler.newFactory());
        this.scheduled = new ManyToOneConcurrentArrayQueue<>(Math.max(2, 2 * maxLinks));
        for (int i = 0; i < completions.length; i++) {
            completions[i] = new WorkCompletion();
        }
    }

    public CompletionQueue completionQueue() {
        return completionQueue;
    }

    /** Any thread: hands a link over; {@link RingLink#attached} tells when it is taken. */
    public void attach(RingLink link) {
        schedule(link);
    }

    /** Any thread: has the owner look at the link. */
    void schedule(RingLink link) {
        if (link.scheduled.compareAndSet(false, true)) {
            if (!scheduled.offer(link)) {
                throw new IllegalStateException("more links than configured: each is queued at most once");
            }
            if (loan.isAsleep() && !postForSleeper()) {
                loop.execute(NOTHING);
            }
        }
    }

    /** Any thread: whether nothing of what is scheduled is left for the sleeping owner. */
    private boolean postForSleeper() {
        boolean isAllDone = true;
        // If another thread holds the loan, the work stays in the queue: that thread reads the queue again after it
        // gave the loan back.
        while (isAllDone && !scheduled.isEmpty() && loan.tryBorrow()) {
            try {
                isAllDone = postScheduled();
            } finally {
                completionQueue.handOver();
                loan.giveBack();
            }
        }
        return isAllDone;
    }

    private boolean postScheduled() {
        for (int i = 0; i < MOST_LINKS_FOR_SLEEPER; i++) {
            RingLink link = scheduled.poll();
            if (link == null) {
                return ready.isEmpty();
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

    /** Any thread: has {@link #poll} return. */
    public void wakeUp() {
        woken = true;
        if (loan.isAsleep()) {
            loop.execute(NOTHING);
        }
    }

    /**
     * The next landed request whose session may be served; null if there was none for that long, or on {@link #wakeUp}.
     */
    public RingFrameIn poll(long timeoutMs) {
        start();
        RingFrameIn frame = next();
        if (frame != null || takeWakeUp()) {
            return frame;
        }
        long timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        boolean busy = mode == HandlerPollMode.BUSY && !links.isEmpty();
        long startNs = System.nanoTime();
        long limitNs = busy ? timeoutNs : spinNs;
        while (System.nanoTime() - startNs < limitNs) {
            Thread.onSpinWait();
            frame = next();
            if (frame != null || takeWakeUp()) {
                return frame;
            }
        }
        if (busy) {
            return null;
        }
        sleep(timeoutNs);
        if (mode == HandlerPollMode.ADAPTIVE) {
            spinNs = System.nanoTime() - startNs < 2 * maxSpinNs ? maxSpinNs : spinNs / 2;
        }
        frame = next();
        takeWakeUp();
        return frame;
    }

    private void start() {
        if (!started) {
            started = true;
            loop.setOwningThread(Thread.currentThread());
            loop.register(new CompletionChannel(completionQueue.eventFd())).addListener(future -> {
                if (!future.isSuccess()) {
                    log.error("Cannot watch the completion queue; requests are found by polling", future.cause());
                } else {
                    ((IoRegistration) future.getNow()).submit(EpollIoOps.EPOLLIN);
                }
            });
            loop.runNow();
        }
    }

    private boolean takeWakeUp() {
        if (woken) {
            woken = false;
            return true;
        }
        return false;
    }

    private void sleep(long timeoutNs) {
        try {
            completionQueue.arm();
            pollCompletions();
            if (ready.isEmpty()) {
                long waitNs = stalledLinks.isEmpty() ? timeoutNs : Math.min(timeoutNs, STALL_CHECK_NS);
                completionQueue.handOver();
                loan.fallAsleep();
                try {
                    if (scheduled.isEmpty() && !woken) {
                        loop.run(waitNs);
                    }
                } finally {
                    loan.wake();
                    wakings++;
                }
            }
            if (hasEvents) {
                hasEvents = false;
                completionQueue.acknowledgeEvents();
            }
        } finally {
            // Else each poll that finds nothing would ask for an event, and each request would pay for one, while this
            // thread is awake.
            completionQueue.disarm();
        }
    }

    private RingFrameIn next() {
        if (!mayHoldReplies()) {
            handedOutSinceWork = 0;
            works++;
            work();
            pollCompletions();
        }
        handedOutSinceWork++;
        RingFrameIn frame;
        while ((frame = ready.pollFirst()) != null) {
            RingSession session = frame.session();
            if (frame.link().isOver() || session == null || session.isEnded()) {
                refuse(frame);
            } else if (session.isLeftToTcp()) {
                leaveToTcp(frame);
            } else if (!session.holdBack(frame)) {
                return handedOut(frame);
            }
        }
        return null;
    }

    /** It need not be the one for which {@link #mayHoldReplies} was asked: those before it may have been held back. */
    private RingFrameIn handedOut(RingFrameIn frame) {
        if (!frame.session().mayHoldReplies(works)) {
            works++;
            work();
        }
        frame.session().handedOutIn = works;
        return frame;
    }

    /** Whether what is to be posted may wait until one more request was handled. */
    private boolean mayHoldReplies() {
        RingFrameIn first = ready.peekFirst();
        return first != null
                && handedOutSinceWork < mostHeldReplies
                && first.payload().capacity() <= SMALL_REQUEST_BYTES
                && (first.session() == null || first.session().mayHoldReplies(works));
    }

    /** The broker would have closed the client's connection by now, or never knew it. */
    public void refuse(RingFrameIn frame) {
        frame.releaseBytes();
        frame.link().reply(RingReply.ofFlags(frame, RingFrame.FLAG_CLOSE_CONNECTION));
    }

    /**
     * Handler thread: the broker's settings leave this request to TCP. To keep their order, the session's later
     * requests follow it. Nothing of them has been carried out.
     */
    public void leaveToTcp(RingFrameIn frame) {
        frame.session().leaveToTcp();
        frame.releaseBytes();
        frame.link().reply(RingReply.ofFlags(frame, RingFrame.FLAG_TAKE_TCP));
    }

    private void work() {
        for (int i = stalledLinks.size() - 1; i >= 0; i--) {
            schedule(stalledLinks.remove(i));
        }
        RingLink link;
        while ((link = scheduled.poll()) != null) {
            link.scheduled.set(false);
            if (link.drained().isDone()) {
                // A late note. Its queue pair may be gone, and the number may be another's by now.
                link.work();
                continue;
            }
            links.put(link.queuePairNumber(), link);
            link.work();
            if (link.isStalled()) {
                stalledLinks.add(link);
            }
            if (link.drained().isDone()) {
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

    /** Owner thread: when the completions that are being handled were taken. */
    long polledAtNs() {
        return polledAtNs;
    }

    /** Any thread: whether it is about to sleep, sleeps, or has not noticed yet that it was woken. */
    boolean isAsleep() {
        return loan.isAsleep();
    }

    /** How often it woke, by events or by its timeout. */
    long wakings() {
        return wakings;
    }

    void liftBarrier(RingFrameIn frame) {
        frame.session().liftBarrier(frame, ready);
    }

    /** Handler thread, as its last act. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
        while (!loop.isTerminated()) {
            loop.runNow();
        }
    }

    private final class CompletionChannel implements EpollIoHandle {
        private final FileDescriptor descriptor;

        CompletionChannel(int descriptor) {
            this.descriptor = new FileDescriptor(descriptor);
        }

        @Override
        public FileDescriptor fd() {
            return descriptor;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            // Not here: while the loop runs, the completion queue may be lent.
            hasEvents = true;
        }

        /** The descriptor belongs to the completion queue. */
        @Override
        public void close() {}
    }
}
