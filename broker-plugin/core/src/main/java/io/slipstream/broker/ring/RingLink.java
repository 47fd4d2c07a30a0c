package io.slipstream.broker.ring;

import io.slipstream.broker.metrics.PluginCounters;
import io.slipstream.broker.metrics.PluginCounters.Counter;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
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
 * <p>{@link #reply}, {@link #ringDoorbell}, {@link #detach}, {@link #bind} and {@link #unbind} may be called by any thread; they
 * leave a note and wake the owner. All else belongs to the owner, the {@link RingThread}. Replies come back through a queue even from
 * the owner itself: they are posted when handling has returned, so that they carry the ring space of their own request.
 *
 * <p>Bounds: a request has one answer and at most two throttle frames; a proxy that does not make room for them
 * for {@link #STUCK_NS} loses the link.
 */
public final class RingLink {
    /** How long replies wait for a proxy that does not consume its ring. */
    static final long STUCK_NS = 10_000_000_000L;

    private static final Logger log = LoggerFactory.getLogger(RingLink.class);
    private static final int REPLIES_PER_REQUEST = 4;

    private final int linkId;
    private final QueuePair queuePair;
    private final RingThread owner;
    private final PluginCounters counters;
    private final int credits;
    private final RequestRing requests;
    private final ReplyRing replies;
    private final Doorbells doorbells;
    private final ManyToOneConcurrentArrayQueue<RingReply> outbox;
    private final ArrayDeque<RingReply> stalled = new ArrayDeque<>();
    private final CompletableFuture<Void> attached = new CompletableFuture<>();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    /** Whether this link is in its owner's queue of links with something to do. */
    final AtomicBoolean scheduled = new AtomicBoolean();

    /** Copied on each change: changes are rare and look-ups are not. */
    private volatile Int2ObjectHashMap<RingSession> sessions = new Int2ObjectHashMap<>();

    private volatile boolean detached;
    private boolean attachDone;
    private boolean broken;
    private long stalledSinceNs;

    public RingLink(
            int linkId,
            QueuePair queuePair,
            RingThread owner,
            PluginCounters counters,
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
        this.requests = new RequestRing(requestRing.buffer(), credits, this::session);
        this.replies = new ReplyRing(queuePair, sendDepth, staging, controlWord, replyRing);
        this.doorbells = new Doorbells(slots);
        this.outbox = new ManyToOneConcurrentArrayQueue<>(REPLIES_PER_REQUEST * credits);
    }

    public int linkId() {
        return linkId;
    }

    /** Any thread: posts the reply soon. Never blocks. */
    public void reply(RingReply reply) {
        if (!outbox.offer(reply)) {
            // More replies than a correct proxy's credits can cause: throttle frames of a proxy that ignores them.
            queuePair.disconnect("too many replies are waiting");
            return;
        }
        owner.schedule(this);
    }

    /** Any thread: rings the doorbell of an armed slot. */
    public void ringDoorbell(int slot) {
        doorbells.ring(slot);
        owner.schedule(this);
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

    boolean isDetached() {
        return detached;
    }

    /** Whether replies wait for room, so that the owner must look again without being woken. */
    boolean isStalled() {
        return !stalled.isEmpty() && !broken && !detached;
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
        boolean progress = false;
        while (!stalled.isEmpty() && tryPost(stalled.peekFirst())) {
            stalled.removeFirst();
            progress = true;
        }
        RingReply reply;
        while ((reply = outbox.poll()) != null) {
            prepare(reply);
            if (!stalled.isEmpty() || !tryPost(reply)) {
                if (stalled.isEmpty()) {
                    counters.increment(Counter.REPLY_STALLS);
                    stalledSinceNs = System.nanoTime();
                }
                stalled.addLast(reply);
                if (stalled.size() > REPLIES_PER_REQUEST * credits) {
                    throw new IllegalFrameException("the proxy sends on without reading its replies");
                }
            }
        }
        if (!stalled.isEmpty()) {
            long nowNs = System.nanoTime();
            if (progress) {
                stalledSinceNs = nowNs;
            } else if (nowNs - stalledSinceNs > STUCK_NS) {
                breakLink("the proxy does not consume its reply ring");
            }
            return;
        }
        ringDoorbells();
    }

    private void ringDoorbells() {
        int slot;
        while (replies.hasSendSlot() && (slot = doorbells.poll()) >= 0) {
            replies.postDoorbell(slot);
            counters.increment(Counter.DOORBELLS);
        }
    }

    /** What must happen once for each reply, in the order in which they came. */
    private void prepare(RingReply reply) {
        if (reply.isAnswer()) {
            LandedFrame frame = reply.frame();
            requests.onAnswered(frame);
            if (frame.session() != null) {
                owner.liftBarrier(frame);
                if ((reply.flags() & RingFrame.FLAG_CLOSE_CONNECTION) != 0) {
                    frame.session().end();
                }
            }
        }
    }

    private boolean tryPost(RingReply reply) {
        if (!replies.fits(reply.payloadBytes())) {
            throw new IllegalFrameException("a response of " + reply.payloadBytes() + " bytes exceeds the reply ring");
        }
        if (!replies.tryPost(reply, requests.released())) {
            return false;
        }
        count(reply);
        reply.onDone();
        return true;
    }

    private void count(RingReply reply) {
        counters.increment(
                switch (reply.flags()) {
                    case 0 -> Counter.RESPONSES_SENT;
                    case RingFrame.FLAG_NO_RESPONSE -> Counter.RESPONSES_WITHOUT_CONTENT;
                    case RingFrame.FLAG_CLOSE_CONNECTION -> Counter.CONNECTIONS_CLOSED;
                    default -> Counter.THROTTLE_FRAMES;
                });
    }

    /** The link is gone: replies go nowhere, but their requests are done. */
    private void drop() {
        RingReply reply;
        while ((reply = stalled.pollFirst()) != null) {
            reply.onDone();
        }
        while ((reply = outbox.poll()) != null) {
            prepare(reply);
            reply.onDone();
        }
    }

    /** A completion of this link's queue pair; a landed request goes to {@code ready}. */
    void onCompletion(WorkCompletion completion, ArrayDeque<LandedFrame> ready) {
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
            if (!stalled.isEmpty()) {
                owner.schedule(this);
            }
        }
    }

    private void land(int imm, ArrayDeque<LandedFrame> ready) {
        try {
            LandedFrame frame = requests.take(this, imm);
            queuePair.postReceive(0, 0, 0, 0);
            counters.increment(Counter.REQUESTS_LANDED);
            counters.add(Counter.REQUEST_BYTES_LANDED, frame.payload().capacity());
            ready.addLast(frame);
        } catch (IllegalFrameException e) {
            breakLink(e.getMessage());
        }
    }

    private void breakLink(String reason) {
        if (!broken) {
            broken = true;
            counters.increment(Counter.LINKS_BROKEN);
            log.warn("Breaking link {}: {}", linkId, reason);
            queuePair.disconnect(reason);
            owner.schedule(this);
        }
    }
}
