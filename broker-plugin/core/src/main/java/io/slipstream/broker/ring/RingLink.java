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
 *   new ──RingThread.attach──▶ ATTACHED ──detach()──▶ DETACHED ──(last request of it answered)──▶ drained()
 * </pre>
 *
 * <p>Any thread may call {@link #reply}, {@link #throttle}, {@link #ringDoorbell}, {@link #detach}, {@link #bind} and
 * {@link #unbind}. They leave a note and wake the owner, or post on its behalf while it sleeps. All else belongs to the
 * owner, the {@link RingThread}. Replies go through a queue even from the owner itself: they are posted when handling
 * has returned, so that they return the ring space of their own request. {@link #work} alone decides the order of
 * posts.
 *
 * <p>Bounds: a request has one answer, a session one throttling to tell of; a proxy that does not make room for them
 * for {@link #STUCK_NS} loses the link.
 */
public final class RingLink {
    /** How long replies wait for a proxy that does not consume its ring. */
    static final long STUCK_NS = 10_000_000_000L;

    private static final Logger log = LoggerFactory.getLogger(RingLink.class);

    private final int linkId;
    private final QueuePair queuePair;
    private final RingThread owner;
    private final PluginMeters counters;
    private final int credits;
    private final RequestRingReader requests;
    private final ReplyRingWriter replies;
    private final Doorbells doorbells;
    private final Throttles throttles = new Throttles();
    private final ManyToOneConcurrentArrayQueue<RingReply> outbox;

    private final CompletableFuture<Void> attached = new CompletableFuture<>();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    /** Whether this link is in its owner's queue of links with something to do. */
    final AtomicBoolean scheduled = new AtomicBoolean();

    /** Copied on each change: changes are rare and look-ups are not. */
    private volatile Int2ObjectHashMap<RingSession> sessions = new Int2ObjectHashMap<>();

    private volatile boolean detached;
    private boolean attachDone;
    private boolean broken;
    /** Taken out of the outbox and not posted yet. Those behind it stay there, where credits bound them. */
    private RingReply next;

    private boolean isWaiting;
    private long waitingSinceNs;
    /** 0 before the first answer that {@link #flush} posts: one clock reading serves all of them. */
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
            MemoryRegion controlWord,
            MemoryRegion staging,
            RemoteMemory replyRing) {
        this.linkId = linkId;
        this.queuePair = queuePair;
        this.owner = owner;
        this.counters = counters;
        this.credits = credits;
        this.requests = new RequestRingReader(requestRing.buffer(), credits, this::session);
        this.replies = new ReplyRingWriter(queuePair, sendDepth, staging, controlWord, replyRing);
        this.doorbells = new Doorbells(slots);
        this.outbox = new ManyToOneConcurrentArrayQueue<>(credits);
    }

    public int linkId() {
        return linkId;
    }

    /** Any thread: posts the answer soon. Never blocks. */
    public void reply(RingReply reply) {
        if (!outbox.offer(reply)) {
            throw new IllegalStateException("more than one answer to a request of link " + linkId);
        }
        owner.schedule(this);
    }

    /** Any thread: the broker begins to throttle the session for one request more, or ends to for one. */
    public void throttle(RingSession session, boolean start) {
        throttles.change(session, start);
        owner.schedule(this);
    }

    /** Any thread: rings the doorbell of an armed slot. */
    public void ringDoorbell(int slot) {
        doorbells.ring(slot);
        owner.schedule(this);
    }

    /** Any thread: what of the request ring is in use, a moment ago. */
    public RingUse use() {
        return requests.use();
    }

    /** Completes when the owner has taken the link and receives are posted. */
    public CompletableFuture<Void> attached() {
        return attached;
    }

    /** Any thread: the link is over. {@link #drained} completes when the broker needs none of its memory any more. */
    public void detach() {
        detached = true;
        owner.schedule(this);
    }

    public CompletableFuture<Void> drained() {
        return drained;
    }

    /** Control thread, before an untrusted session is bound; false if there is no memory for copies of what lands. */
    public boolean makeRoomForCopies() {
        try {
            requests.makeRoomForCopies();
            return true;
        } catch (OutOfMemoryError e) {
            log.warn("Link {}: no memory for copies of requests: {}", linkId, e.getMessage());
            return false;
        }
    }

    /** Control thread. */
    public void bind(RingSession session) {
        Int2ObjectHashMap<RingSession> next = new Int2ObjectHashMap<>(sessions);
        next.put(session.sessionId(), session);
        sessions = next;
    }

    /** Control thread. */
    public void unbind(int sessionId) {
        Int2ObjectHashMap<RingSession> next = new Int2ObjectHashMap<>(sessions);
        next.remove(sessionId);
        sessions = next;
    }

    RingSession session(int sessionId) {
        return sessions.get(sessionId);
    }

    int queuePairNumber() {
        return queuePair.number();
    }

    /**
     * Any thread: the proxy or its connection is gone, which the queue pair tells before the control thread has heard
     * of it. What landed and is not with the broker yet must not get there: nobody would hear of the answer, and of an
     * idempotent producer a broker that is killed next remembers one batch only.
     */
    public boolean isOver() {
        return detached || queuePair.state() != QueuePairState.CONNECTED;
    }

    /** Whether anything waits for room, so that the owner must look again without being woken. */
    boolean isStalled() {
        return isWaiting && !broken && !detached;
    }

    /** Does what other threads left to do. */
    void work() {
        if (!attachDone) {
            attach();
        }
        boolean gone = broken || detached;
        if (gone) {
            drop();
        } else {
            try {
                flush();
            } catch (IllegalFrameException e) {
                breakLink(e.getMessage());
                drop();
            }
        }
        if (detached && !drained.isDone() && requests.unreleasedFrames() == 0) {
            drained.complete(null);
        }
    }

    /**
     * Called by the thread that has the sleeping owner's place: posts what waits; false if there is more to do than
     * that.
     */
    boolean postForOwner() {
        if (!attachDone || detached || broken) {
            return false;
        }
        try {
            flush();
        } catch (RuntimeException e) {
            // It holds the broker's locks, perhaps, and the append is not to blame.
            breakLink("posting failed: " + e.getMessage());
        }
        return !isWaiting && !broken;
    }

    private void attach() {
        attachDone = true;
        for (int i = 0; i <= credits; i++) {
            if (queuePair.postReceive(0, 0, 0, 0) < 0) {
                attached.completeExceptionally(new IllegalStateException("the queue pair takes no receives"));
                return;
            }
        }
        attached.complete(null);
    }

    private void flush() {
        long postedBefore = replies.posted();
        postedAtNs = 0;
        boolean hasRoom = true;
        while (hasRoom && takeNext()) {
            hasRoom = tryPostNext();
        }
        if (hasRoom && tellThrottles() && ringDoorbells()) {
            isWaiting = false;
        } else {
            waitForRoom(replies.posted() != postedBefore);
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

    /** Whether there was room to tell of all sessions whose throttling changed. */
    private boolean tellThrottles() {
        RingSession session;
        while ((session = throttles.peek()) != null) {
            boolean throttled = session.isThrottled();
            if (throttled != session.throttledAtProxy) {
                if (!replies.tryPostThrottle(session.sessionId(), throttled, requests.released())) {
                    return false;
                }
                counters.increment(PluginMeter.THROTTLE_FRAMES);
            }
            throttles.told(throttled);
        }
        return true;
    }

    /** Whether there was a send slot for all of them. */
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

    /** Whether there is a reply to post: {@link #next}. */
    private boolean takeNext() {
        if (next == null) {
            next = outbox.poll();
            if (next != null) {
                prepare(next);
            }
        }
        return next != null;
    }

    /** What must happen once for each answer, in the order in which they came. */
    private void prepare(RingReply reply) {
        RingFrameIn frame = reply.frame();
        requests.onAnswered(frame);
        if (frame.session() != null) {
            owner.liftBarrier(frame);
            if ((reply.flags() & RingFrame.FLAG_CLOSE_CONNECTION) != 0) {
                frame.session().end();
            }
        }
    }

    private boolean tryPostNext() {
        if (!replies.fits(next.payloadBytes())) {
            throw new IllegalFrameException("a response of " + next.payloadBytes() + " bytes exceeds the reply ring");
        }
        // A throttling that began for this request is told before its answer, after which the proxy would read on.
        if (!tellThrottles() || !replies.tryPost(next, requests.released())) {
            return false;
        }
        RingReply posted = next;
        next = null;
        count(posted);
        posted.onDone();
        return true;
    }

    private void count(RingReply reply) {
        boolean isAnswer = reply.flags() == 0 || reply.flags() == RingFrame.FLAG_NO_RESPONSE;
        if (isAnswer) {
            if (postedAtNs == 0) {
                postedAtNs = System.nanoTime();
            }
            counters.committed(postedAtNs - reply.frame().takenAtNs());
        }
        counters.increment(
                switch (reply.flags()) {
                    case 0 -> PluginMeter.RESPONSES_SENT;
                    case RingFrame.FLAG_NO_RESPONSE -> PluginMeter.RESPONSES_WITHOUT_CONTENT;
                    case RingFrame.FLAG_TAKE_TCP -> PluginMeter.REQUESTS_LEFT_TO_TCP;
                    default -> PluginMeter.CONNECTIONS_CLOSED;
                });
    }

    /** The link is gone: replies go nowhere, but their requests are done. */
    private void drop() {
        while (takeNext()) {
            RingReply dropped = next;
            next = null;
            dropped.onDone();
        }
    }

    /** A completion of this link's queue pair; a landed request goes to {@code ready}. */
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
            frame.takenAt(owner.polledAtNs());
            queuePair.postReceive(0, 0, 0, 0);
            counters.increment(PluginMeter.REQUESTS_LANDED);
            counters.add(PluginMeter.REQUEST_BYTES_LANDED, frame.payload().capacity());
            if (frame.session() != null && frame.session().isUntrusted()) {
                counters.add(PluginMeter.REQUEST_BYTES_COPIED, frame.payload().capacity());
            }
            ready.addLast(frame);
        } catch (IllegalFrameException e) {
            breakLink(e.getMessage());
        }
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
