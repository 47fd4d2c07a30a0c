// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One link's rings at the broker.
 *
 * <pre>
 *   new ──RingThread.schedule──▶ ATTACHED ──detach()──▶ DETACHED ──(last request of it answered)──▶ drained()
 * </pre>
 *
 * <p>Any thread may call {@link #reply}, {@link #throttle}, {@link #ringDoorbell}, {@link #detach}, {@link #bind} and
 * {@link #unbind}. These methods queue the work and wake the owner, or post on its behalf while it sleeps. All other
 * methods belong to the owner, the {@link RingThread}. Replies pass through a queue even on the owner thread. They are
 * posted after handling has returned, so that they release the ring space of their own request. {@link #work} alone
 * decides the order of posts.
 *
 * <p>Bounds: a request has one answer, and a session has one throttling state to send. A proxy that frees no room for
 * {@link #STUCK_NS} loses the link.
 */
public final class RingLink {
    /** Longest wait for a proxy that does not consume its reply ring. */
    static final long STUCK_NS = 10_000_000_000L;
    /** Interval of checks for room in a reply ring. A peer that frees room does not wake the owner. */
    private static final long STALL_CHECK_NS = 1_000_000L;
    /** Time for which an answer may still carry released ring space. After that it gets a frame of its own. */
    private static final long RELEASE_DELAY_NS = 10_000_000L;

    private static final Logger log = LoggerFactory.getLogger(RingLink.class);

    final int linkId;
    private final QueuePair queuePair;
    private final RingThread owner;
    final PluginMeters counters;
    private final int credits;
    final RequestRingReader requests;
    /** The use of the request ring, as of a moment ago. */
    public final RingUse use;

    private final ReplyRingWriter replies;
    private final Doorbells doorbells;
    private final Throttles throttles = new Throttles();
    private final ReplyOutbox outbox;

    /** Completes when the owner has taken the link and posted the receives. */
    public final CompletableFuture<Void> attached = new CompletableFuture<>();
    /** Completes when the broker no longer needs the memory of the detached link. */
    public final CompletableFuture<Void> drained = new CompletableFuture<>();

    /** Whether this link is in its owner's queue of links with work. */
    final AtomicBoolean scheduled = new AtomicBoolean();

    /** Copied on each change, because look-ups are far more frequent than changes. */
    private volatile Int2ObjectHashMap<RingSession> sessions = new Int2ObjectHashMap<>();

    private volatile boolean detached;
    private boolean attachDone;
    private boolean broken;
    /** Taken from the outbox and not posted yet. Later replies stay in the outbox: it has room for all answers. */
    private RingReply next;

    private boolean isWaiting;
    private long waitingSinceNs;
    /** When ring space was released that no posted frame has carried; 0 if all is told. */
    private long untoldSinceNs;
    /**
     * Set at the first answer that {@link #flush} posts, 0 before it: all answers of one flush share one clock reading.
     */
    private long postedAtNs;

    public RingLink(
            int linkId,
            QueuePair queuePair,
            RingThread owner,
            PluginMeters counters,
            int credits,
            int sendDepth,
            int slots,
            MemoryRegion requestRing,
            ByteBuffer copies,
            MemoryRegion controlWord,
            MemoryRegion staging,
            RemoteMemory replyRing) {
        this.linkId = linkId;
        this.queuePair = queuePair;
        this.owner = owner;
        this.counters = counters;
        this.credits = credits;
        this.requests = new RequestRingReader(requestRing.buffer(), copies, credits, this::session);
        this.use = requests.use;
        this.replies = new ReplyRingWriter(queuePair, sendDepth, staging, controlWord, replyRing);
        this.doorbells = new Doorbells(slots);
        int unanswered = RingFrame.mostUnanswered(credits);
        this.outbox = new ReplyOutbox(this, owner, replies, new ManyToOneConcurrentArrayQueue<>(unanswered));
    }

    /** Any thread: queues the answer for posting. Never blocks. */
    public void reply(RingReply reply) {
        RingFrameIn frame = reply.frame;
        if (frame.session != null && !frame.session.takeAnswer(frame)) {
            reply.onDone();
        } else {
            outbox.add(reply);
        }
    }

    /** Any thread: the broker starts or ends the throttling of the session for one request. */
    public void throttle(RingSession session, boolean start) {
        throttles.change(session, start);
        owner.schedule(this);
    }

    /** Any thread, also inside a log's lock: rings the doorbell of an armed slot. It is posted outside of the lock. */
    public void ringDoorbell(int slot) {
        doorbells.ring(slot);
        owner.scheduleOnly(this);
    }

    /** Any thread: a handler is back from the broker with this request of the link. */
    void handled(RingFrameIn frame, long durationNs) {
        counters.handlings.recordNs(durationNs);
        frame.session.isSlow = durationNs > SpareHandlers.SLOW_NS;
    }

    /** Any thread: ends the link. {@link #drained} completes when the broker no longer needs its memory. */
    public void detach() {
        detached = true;
        owner.schedule(this);
    }

    /** Control thread: makes the session known to the ring. */
    public void bind(RingSession session) {
        Int2ObjectHashMap<RingSession> next = new Int2ObjectHashMap<>(sessions);
        next.put(session.sessionId(), session);
        sessions = next;
    }

    /** Control thread: removes the session, which has ended. */
    public void unbind(int sessionId) {
        Int2ObjectHashMap<RingSession> next = new Int2ObjectHashMap<>(sessions);
        RingFrameIn late = next.remove(sessionId).takeLate();
        sessions = next;
        if (late != null) {
            outbox.add(RingReply.ofFlags(late, RingFrame.FLAG_CLOSE_CONNECTION));
        }
    }

    RingSession session(int sessionId) {
        return sessions.get(sessionId);
    }

    int queuePairNumber() {
        return queuePair.number();
    }

    /**
     * Any thread: returns whether the proxy or its connection is gone. The queue pair shows this before the control
     * thread learns of it. A request that the broker has not started must then not be handled. The proxy would not
     * receive the answer. A broker that is killed next remembers only one batch of each idempotent producer.
     */
    public boolean isOver() {
        return detached || queuePair.state() != QueuePairState.CONNECTED;
    }

    /** Returns after what time the owner must work again without a wake-up; Long.MAX_VALUE if it need not. */
    long workAgainNs() {
        if (broken || detached) {
            return Long.MAX_VALUE;
        }
        return isWaiting ? STALL_CHECK_NS : untoldSinceNs != 0 ? RELEASE_DELAY_NS : Long.MAX_VALUE;
    }

    /** Does the work that other threads queued. */
    void work() {
        if (!attachDone) {
            attach();
        }
        if (broken || detached) {
            drop();
        } else {
            try {
                flush();
            } catch (IllegalFrameException e) {
                postingFailed(e);
                drop();
            }
        }
        if (detached && !drained.isDone() && requests.isDrained()) {
            drained.complete(null);
        }
    }

    /**
     * Called by the thread that borrowed the sleeping owner's right: posts the waiting replies. Returns false if more
     * work than that is left.
     */
    boolean postForOwner() {
        if (!attachDone || detached || broken) {
            return false;
        }
        try {
            flush();
        } catch (RuntimeException e) {
            // The thread may hold locks of the broker, and its append did not cause the failure.
            postingFailed(e);
        }
        return !broken && workAgainNs() == Long.MAX_VALUE;
    }

    private void attach() {
        attachDone = true;
        for (int i = 0; i <= credits; i++) {
            if (queuePair.postReceive(0) < 0) {
                attached.completeExceptionally(new IllegalStateException("the queue pair accepts no receives"));
                return;
            }
        }
        attached.complete(null);
    }

    private void flush() {
        long postedBefore = replies.posted;
        postedAtNs = 0;
        boolean hasRoom = true;
        while (hasRoom && takeNext()) {
            hasRoom = tryPostNext();
        }
        if (hasRoom && tellThrottles() && ringDoorbells() && tellReleased()) {
            isWaiting = false;
        } else {
            waitForRoom(replies.posted != postedBefore);
        }
    }

    private void waitForRoom(boolean progress) {
        long nowNs = System.nanoTime();
        if (!isWaiting) {
            counters.increment(PluginMeter.REPLY_STALLS);
        }
        if (!isWaiting || progress) {
            waitingSinceNs = nowNs;
        } else if (nowNs - waitingSinceNs > STUCK_NS) {
            breakLink("the proxy does not consume its reply ring");
        }
        isWaiting = true;
    }

    /** Posts the changed throttling states. Returns whether there was room for all of them. */
    private boolean tellThrottles() {
        RingSession session;
        while ((session = throttles.peek()) != null) {
            boolean throttled = session.isThrottled();
            if (throttled != session.throttledAtProxy) {
                if (!replies.tryPostThrottle(session.sessionId(), throttled, requests.released())) {
                    return false;
                }
                requests.onPublished();
                counters.increment(PluginMeter.THROTTLE_FRAMES);
            }
            throttles.told(throttled);
        }
        return true;
    }

    /**
     * Tells the proxy of ring space that was released without an answer, if it is much or no answer came for a while.
     * Returns whether there was room for the frame.
     */
    private boolean tellReleased() {
        if (!requests.isUnpublished()) {
            untoldSinceNs = 0;
            return true;
        }
        long nowNs = System.nanoTime();
        untoldSinceNs = untoldSinceNs == 0 ? nowNs : untoldSinceNs;
        if (!requests.isMuchUnpublished() && nowNs - untoldSinceNs < RELEASE_DELAY_NS) {
            return true;
        }
        if (!replies.tryPostThrottle(RingFrame.NO_SESSION, false, requests.released())) {
            return false;
        }
        requests.onPublished();
        untoldSinceNs = 0;
        return true;
    }

    /** Rings the doorbells. Returns whether there was a send slot for all of them. */
    private boolean ringDoorbells() {
        while (replies.hasSendSlot()) {
            int slot = doorbells.poll();
            if (slot < 0) {
                return true;
            }
            replies.postDoorbell(slot);
            counters.increment(PluginMeter.DOORBELLS);
        }
        return doorbells.isEmpty();
    }

    /** Takes the next reply into {@link #next}. Returns whether there is one. */
    private boolean takeNext() {
        next = next == null ? outbox.ready().poll() : next;
        return next != null;
    }

    /** Does the steps that each answer needs once, in the order of the answers, before its only or last part. */
    private void prepare(RingReply reply) {
        if (reply.isPrepared) {
            return;
        }
        reply.isPrepared = true;
        RingFrameIn frame = reply.frame;
        requests.onAnswered(frame);
        if (frame.session != null) {
            frame.session.liftBarrier(frame, owner.ready);
            if ((reply.flags & RingFrame.FLAG_CLOSE_CONNECTION) != 0) {
                frame.session.bound.end();
            }
        }
    }

    private boolean tryPostNext() {
        boolean isLast = replies.nextBytes(next) == next.leftBytes;
        if (isLast) {
            prepare(next);
        }
        // A throttling that began for this request is sent before its answer: after the answer the proxy would read on.
        if (!tellThrottles() || !replies.tryPost(next, requests.released())) {
            return false;
        }
        requests.onPublished();
        RingReply posted = next;
        next = null;
        if (isLast) {
            count(posted);
            posted.onDone();
        } else {
            outbox.add(posted);
        }
        return true;
    }

    private void count(RingReply reply) {
        boolean isAnswer = reply.flags == 0 || reply.flags == RingFrame.FLAG_NO_RESPONSE;
        if (isAnswer) {
            if (postedAtNs == 0) {
                postedAtNs = System.nanoTime();
            }
            counters.commits.recordNs(postedAtNs - reply.frame.takenAtNs);
        }
        counters.increment(
                switch (reply.flags) {
                    case 0 -> PluginMeter.RESPONSES_SENT;
                    case RingFrame.FLAG_NO_RESPONSE -> PluginMeter.RESPONSES_WITHOUT_CONTENT;
                    case RingFrame.FLAG_TAKE_TCP -> PluginMeter.REQUESTS_LEFT_TO_TCP;
                    default -> PluginMeter.CONNECTIONS_CLOSED;
                });
    }

    /** The link is gone: drops the replies and finishes their requests. */
    private void drop() {
        while (takeNext()) {
            RingReply dropped = next;
            next = null;
            prepare(dropped);
            dropped.onDone();
        }
    }

    /** Handles a completion of this link's queue pair. A received request is added to {@code ready}. */
    void onCompletion(WorkCompletion completion, ArrayDeque<RingFrameIn> ready) {
        if (completion.status != CompletionStatus.SUCCESS) {
            if (completion.status != CompletionStatus.WR_FLUSH_ERR) {
                breakLink("operation failed: " + completion.status);
            }
        } else if (completion.opcode == Opcode.RECV_WITH_IMM) {
            if (!broken && !detached) {
                land(completion.imm, ready);
            }
        } else {
            replies.onSendCompleted(completion.wrId);
            if (isWaiting) {
                owner.schedule(this);
            }
        }
    }

    private void land(int imm, ArrayDeque<RingFrameIn> ready) {
        try {
            RingFrameIn frame = requests.take(this, imm);
            if (requests.cursor.hasRestarted) {
                // So the proxy accepts the same in its own ring.
                replies.space.restartWhenEmpty();
            }
            frame.takenAtNs = owner.polledAtNs;
            queuePair.postReceive(0);
            counters.increment(PluginMeter.REQUESTS_LANDED);
            counters.add(PluginMeter.REQUEST_BYTES_LANDED, frame.payload().capacity());
            ready.addLast(frame);
        } catch (IllegalFrameException e) {
            breakLink(e.getMessage());
        }
    }

    /** Nothing more is posted. A link that its peer has ended is not counted as broken. */
    private void postingFailed(RuntimeException e) {
        if (!isOver()) {
            breakLink(e.getMessage());
        }
        broken = true;
    }

    private void breakLink(String reason) {
        if (!broken) {
            broken = true;
            counters.increment(PluginMeter.LINKS_BROKEN);
            log.warn("Breaking link {}: {}", linkId, reason);
            queuePair.disconnect(reason);
            owner.schedule(this);
        }
    }
}
