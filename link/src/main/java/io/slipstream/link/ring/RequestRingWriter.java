// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.collection.LongObjectHashMap;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.work.Contained;
import io.slipstream.link.work.LinkPort;
import io.slipstream.link.work.OperationMeters;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.ring.RingSpace;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Writes request frames into the plugin's ring, each with one WRITE_WITH_IMM from the memory of a {@link FrameSource}.
 * Requests without credit or space wait in one FIFO queue for the whole link, so that no client overtakes another.
 * After {@code waitNs} they return to their client. If the plugin released nothing during such a wait, the ring is
 * <em>stuck</em>: requests without room return at once until it releases something. Confined to the event loop;
 * requests are pooled, so writing allocates nothing.
 *
 * <p>A request holds a credit until it is answered or its ring space is released. A released request may wait long for
 * its answer, for example for a follower. It costs other clients neither a credit nor ring space.
 */
public final class RequestRingWriter {
    /** Devices limit the size of a message; this is the limit of Soft-RoCE in older kernels. */
    private static final long MESSAGE_BYTES = 8 << 20;

    private final EventLoop loop;
    private final LinkPort port;
    private final RemoteMemory memory;
    public final RingSpace space;
    private final FrameSource frames;
    private final int credits;
    /** Largest request frame that may be submitted. */
    public final int maxFrameBytes;

    private final long waitNs;
    private final OperationMeters meters;
    private final Consumer<String> onBroken;

    private final RingRequest[] all;
    private final ArrayDeque<RingRequest> free;
    private final ArrayDeque<RingRequest> waiting;
    private final LongObjectHashMap<RingRequest> unanswered;
    private final Runnable expireWaiting = this::expireWaiting;
    private boolean expiryScheduled;
    private long nextSequence;
    /** Sequence of the oldest request that may hold a credit. */
    private long oldestUnhandled;
    /** Requests that hold a credit. */
    private int unhandled;
    /** The released position at which the ring was found stuck. */
    private long stuckAt = -1;

    private boolean closed;
    /** Whether the last attempt to write failed for lack of ring space. */
    private boolean hasNoRoom;

    public RequestRingWriter(
            EventLoop loop,
            LinkPort port,
            RemoteMemory memory,
            LinkMemory local,
            int credits,
            int maxWaiting,
            int maxFrameBytes,
            long waitNs,
            OperationMeters meters,
            Consumer<String> onBroken) {
        this.loop = loop;
        this.port = port;
        this.memory = memory;
        this.space = new RingSpace((int) memory.lengthBytes());
        this.credits = credits;
        long largestFrame =
                local.staging() == null ? memory.lengthBytes() : Math.min(memory.lengthBytes(), MESSAGE_BYTES);
        this.maxFrameBytes = (int) Math.min(maxFrameBytes, largestFrame - RingFrame.HEADER_BYTES);
        this.waitNs = waitNs;
        this.meters = meters;
        this.onBroken = onBroken;
        int requests = credits + maxWaiting;
        this.frames = local.staging() == null
                ? new GatheredFrames(local.reads().localKey(), requests)
                : new StagedFrames(local.staging());
        this.all = new RingRequest[requests];
        this.free = new ArrayDeque<>(requests + 1);
        this.waiting = new ArrayDeque<>(maxWaiting + 1);
        this.unanswered = new LongObjectHashMap<>(credits * 2);
        for (int i = 0; i < requests; i++) {
            all[i] = new RingRequest(this, i);
            free.add(all[i]);
        }
    }

    /** Number of requests written and not answered. */
    public int unanswered() {
        return unanswered.size();
    }

    /** Whether requests that may wait for minutes must leave the rest to others. */
    public boolean isHalfUsed() {
        return free.size() <= all.length / 2 || unanswered.size() >= RingFrame.mostUnanswered(credits) / 2;
    }

    /** Accepts a request, to be written now or later; false, without any effect, if the queue is full too. */
    @SuppressWarnings("unchecked") // a client is only ever given its own requests
    public <R extends OutgoingRequest> boolean submit(RingClient<R> client, int sessionId, R request) {
        RingRequest slot = closed || hasTooManyUnanswered() ? null : free.poll();
        if (slot == null) {
            meters.fellBack.increment();
            return false;
        }
        slot.client = (RingClient<OutgoingRequest>) client;
        slot.request = request;
        slot.sessionId = sessionId;
        if (!waiting.isEmpty() || !tryWrite(slot)) {
            if (isStuck()) {
                slot.clear();
                free.add(slot);
                meters.fellBack.increment();
                return false;
            }
            slot.deadlineNs = System.nanoTime() + waitNs;
            slot.releasedBefore = space.released();
            waiting.add(slot);
            if (hasNoRoom || hasNoCredit()) {
                meters.waited.increment();
            }
            scheduleExpiry(waitNs);
        }
        return true;
    }

    /** False if there is no credit or no space. */
    private boolean tryWrite(RingRequest slot) {
        if (hasNoCredit()) {
            return false;
        }
        int payloadBytes = slot.request.frame().readableBytes();
        int frameBytes = RingFrame.frameBytes(payloadBytes);
        long start = space.tryClaim(frameBytes);
        hasNoRoom = start < 0;
        if (hasNoRoom) {
            return false;
        }
        slot.sequence = nextSequence++;
        frames.gather(port.beginGather(), slot, start, frameBytes);
        slot.postedAtNs = System.nanoTime();
        long remoteAddress = memory.address() + (start & (space.ringBytes - 1));
        if (!port.writeGathered(slot, remoteAddress, memory.rkey(), RingFrame.immOf(start))) {
            return refused(slot);
        }
        meters.ringBytes.add(payloadBytes);
        slot.posted = true;
        slot.end = start + frameBytes;
        unhandled++;
        unanswered.put(slot.sequence, slot);
        return true;
    }

    private boolean isStuck() {
        return stuckAt == space.released();
    }

    private boolean hasNoCredit() {
        return unhandled >= credits || hasTooManyUnanswered() || !port.hasRoomToWrite();
    }

    private boolean hasTooManyUnanswered() {
        return unanswered.size() >= RingFrame.mostUnanswered(credits);
    }

    /**
     * The position was claimed without a write, which is valid only on a link that has ended; the request stays
     * unwritten.
     */
    private boolean refused(RingRequest slot) {
        slot.releaseFrame();
        onBroken.accept("the queue pair refuses work requests");
        return false;
    }

    /** Returns the unanswered request with that sequence; null if there is none. */
    RingRequest request(long sequence) {
        return unanswered.get(sequence);
    }

    /**
     * Handles the last frame of a reply.
     *
     * @param slot an unanswered request, which has its response
     * @return false if the released position is impossible: the link must end
     */
    boolean onReply(RingRequest slot, int flags, long released) {
        if (!space.release(released)) {
            return false;
        }
        unanswered.remove(slot.sequence);
        meters.requests.recordNs(System.nanoTime() - slot.postedAtNs);
        if (slot.sequence >= oldestUnhandled) {
            unhandled--;
        }
        returnCredits();
        slot.replied = true;
        slot.replyFlags = flags;
        finishIfComplete(slot);
        writeWaiting();
        return true;
    }

    /** Applies a released position; false if it is impossible. */
    boolean release(long released) {
        boolean plausible = space.release(released);
        returnCredits();
        writeWaiting();
        return plausible;
    }

    /** Returns the credits of the requests whose ring space is released. */
    private void returnCredits() {
        for (; oldestUnhandled < nextSequence; oldestUnhandled++) {
            RingRequest slot = unanswered.get(oldestUnhandled);
            if (slot != null && slot.end > space.released()) {
                return;
            }
            // An answered request has returned its credit.
            unhandled -= slot == null ? 0 : 1;
        }
    }

    void finishIfComplete(RingRequest slot) {
        if (!slot.writeCompleted) {
            return;
        }
        slot.releaseFrame();
        if (slot.replied) {
            RingClient<OutgoingRequest> client = slot.client;
            OutgoingRequest request = slot.request;
            ByteBuf response = slot.reply;
            int flags = slot.replyFlags;
            slot.clear();
            free.add(slot);
            client.onReply(request, flags, response);
        }
    }

    private void writeWaiting() {
        while (!closed && !waiting.isEmpty()) {
            RingRequest next = waiting.peek();
            if (next.request.isCancelled() || !next.client.mayBeWritten(next.request)) {
                handBack(waiting.poll(), FallbackReason.RING_FULL);
            } else if (tryWrite(next)) {
                waiting.poll();
            } else {
                return;
            }
        }
    }

    private void handBack(RingRequest slot, FallbackReason reason) {
        RingClient<OutgoingRequest> client = slot.client;
        OutgoingRequest request = slot.request;
        slot.clear();
        free.add(slot);
        client.onNotWritten(request, reason);
    }

    private void scheduleExpiry(long delayNs) {
        if (!expiryScheduled) {
            expiryScheduled = true;
            loop.schedule(expireWaiting, delayNs, TimeUnit.NANOSECONDS);
        }
    }

    private void expireWaiting() {
        expiryScheduled = false;
        long now = System.nanoTime();
        while (!closed && !waiting.isEmpty() && (isStuck() || waiting.peek().deadlineNs - now <= 0)) {
            RingRequest expired = waiting.poll();
            if (expired.releasedBefore == space.released()) {
                stuckAt = space.released();
            }
            meters.fellBack.increment();
            handBack(expired, FallbackReason.RING_FULL);
        }
        if (!closed && !waiting.isEmpty()) {
            scheduleExpiry(Math.max(1, waiting.peek().deadlineNs - now));
        }
    }

    /**
     * The queue pair is closed. Requests in the ring end first, with an unknown outcome, so that no later request of
     * the same client falls back before them.
     */
    public void close(String reason) {
        closed = true;
        for (RingRequest slot : all) {
            if (slot.posted) {
                RingClient<OutgoingRequest> client = slot.client;
                OutgoingRequest request = slot.request;
                slot.releaseReply();
                slot.clear();
                Contained.run("a request at its link's end", () -> client.onOutcomeUnknown(request, reason));
            }
        }
        while (!waiting.isEmpty()) {
            RingRequest slot = waiting.poll();
            Contained.run("a waiting request at its link's end", () -> handBack(slot, FallbackReason.LINK_DOWN));
        }
        unanswered.clear();
        frames.close();
    }
}
