package io.slipstream.proxy.fastpath.link;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.collection.LongObjectHashMap;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.ring.RingSpace;
import io.slipstream.proxy.fastpath.FallbackReason;
import io.slipstream.proxy.fastpath.PendingRequest;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Writes request frames into the plugin's ring, each with one WRITE_WITH_IMM; where from is {@link FrameSource}'s business. Requests without credit or room wait in one first-in-first-out queue for the whole link, so
 * no client overtakes another, and hand themselves back after {@code waitNs}. Confined to the event loop; the requests are
 * pooled, so that writing one allocates nothing.
 *
 * <p>One piece, though long: which request is written next, by which way, and what it may overtake is one decision.
 */
public final class RequestRing {
    /** Devices bound the size of a message; Soft-RoCE of older kernels at this. */
    private static final long MESSAGE_BYTES = 8 << 20;

    private final EventLoop loop;
    private final LinkPort port;
    private final RemoteMemory memory;
    private final RingSpace space;
    private final FrameSource frames;
    private final int credits;
    private final int maxFrameBytes;
    private final long waitNs;
    private final OperationMeters meters;
    private final Consumer<String> onBroken;
    private final Landings landings;

    private final RingRequest[] all;
    private final ArrayDeque<RingRequest> free;
    /** Those for which a place was asked for; before all that wait. */
    private final ArrayDeque<RingRequest> reserved;

    private final ArrayDeque<RingRequest> waiting;
    private final Reservations reservations;
    private final LongObjectHashMap<RingRequest> unanswered;
    private final Runnable expireWaiting = this::expireWaiting;
    private boolean expiryScheduled;
    private long nextSequence;
    /** Those of the unanswered frames that are no requests. */
    private int unansweredChanges;

    private boolean closed;
    /** Whether the ring had no place for what was to be written last. */
    private boolean hasNoRoom;

    RequestRing(
            EventLoop loop,
            LinkPort port,
            RemoteMemory memory,
            LinkMemory local,
            int credits,
            int maxWaiting,
            int maxFrameBytes,
            long waitNs,
            OperationMeters meters,
            Consumer<String> onBroken,
            Landings landings) {
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
        int requests = credits + maxWaiting + LandedBatches.MOST_LANDINGS;
        this.landings = landings;
        this.frames = local.staging() == null
                ? new GatheredFrames(local.reads().localKey(), requests)
                : new StagedFrames(local.staging());
        this.all = new RingRequest[requests];
        this.free = new ArrayDeque<>(requests + 1);
        this.reserved = new ArrayDeque<>(credits + 1);
        this.waiting = new ArrayDeque<>(maxWaiting + 1);
        this.reservations = new Reservations(port, local.words(), landings, this::writeWaiting);
        this.unanswered = new LongObjectHashMap<>(credits * 2);
        for (int i = 0; i < requests; i++) {
            all[i] = new RingRequest(this, reservations, i);
            free.add(all[i]);
        }
    }

    /** Largest request frame that may be submitted. */
    public int maxFrameBytes() {
        return maxFrameBytes;
    }

    /** Requests written and not answered. */
    public int unanswered() {
        return unanswered.size();
    }

    /** Bytes written and not released by the plugin. */
    public int usedBytes() {
        return space.usedBytes();
    }

    /** Takes a request, to be written now or soon; false if even waiting is full (nothing has been done then). */
    public boolean submit(RingClient client, int sessionId, PendingRequest request) {
        RingRequest slot = closed ? null : free.poll();
        if (slot == null) {
            meters.fellBack.increment();
            return false;
        }
        slot.client = client;
        slot.request = request;
        slot.sessionId = sessionId;
        slot.state = RingRequest.State.WAITING;
        if (!waiting.isEmpty() || !reserved.isEmpty() || !tryWrite(slot)) {
            slot.deadlineNs = System.nanoTime() + waitNs;
            waiting.add(slot);
            if (hasNoRoom || hasNoCredit()) {
                meters.waited.increment();
            }
            scheduleExpiry(waitNs);
            reserveAhead();
        }
        return true;
    }

    /** Asks for the places of requests that wait, so that not each of them waits for its own. */
    private void reserveAhead() {
        while (!reserved.isEmpty() && !waiting.isEmpty() && mayReserve(waiting.peek())) {
            RingRequest next = waiting.peek();
            PartitionLanding place = landings.mayReserve(next.request.frame(), mostPlacedBytes());
            if (place == null || !ask(next, place)) {
                return;
            }
            reserved.add(waiting.poll());
        }
    }

    /** What is reserved holds others up until it is written: credit and room are put aside for it. */
    private boolean mayReserve(RingRequest slot) {
        int bytes = reservations.ringBytes() + mostFrameBytes(slot);
        return !slot.request.isCancelled()
                && slot.client.mayBeWritten(slot.request)
                && unanswered.size() - unansweredChanges + reservations.outstanding() < credits
                && reservations.hasRoom()
                && space.usedBytes() + bytes <= space.ringBytes() / 2;
    }

    private static int mostFrameBytes(RingRequest slot) {
        return RingFrame.frameBytes(
                LandedBatches.bytes(1) + slot.request.frame().readableBytes());
    }

    private int mostPlacedBytes() {
        int most = Math.min(maxFrameBytes, space.ringBytes() / 2 - RingFrame.HEADER_BYTES);
        return most - LandedBatches.bytes(LandedBatches.MOST_BATCHES);
    }

    private boolean ask(RingRequest slot, PartitionLanding place) {
        return reservations.ask(slot.reservation, place, landings.recordBytes(), mostFrameBytes(slot));
    }

    /** False if there is no credit or no room, or the plugin must answer something first. True: it was written, or is the last of {@link #reserved} now. */
    private boolean tryWrite(RingRequest slot) {
        if (hasNoCredit()) {
            return false;
        }
        Landings.Way way = landings.decide(slot.sessionId, slot.request.frame(), mostPlacedBytes());
        if (!writeChanges() || way == Landings.Way.WAIT) {
            return false;
        } else if (way == Landings.Way.RESERVE) {
            boolean asks = mayReserve(slot) && ask(slot, landings.place(0));
            if (asks && reserved.peek() != slot) {
                reserved.add(slot);
            }
            return asks;
        }
        return write(slot, way);
    }

    private boolean hasNoCredit() {
        return unanswered.size() - unansweredChanges >= credits || !port.hasRoom(LandedBatches.MOST_BATCHES + 1);
    }

    /** The first of {@link #reserved}; false if it stays there. */
    private boolean tryWriteReserved(RingRequest slot) {
        Reservation reservation = slot.reservation;
        if (reservation.state == Reservation.State.ASKED) {
            return false;
        } else if (slot.request.isCancelled() || !slot.client.mayBeWritten(slot.request)) {
            giveUp(reservation);
            reserved.poll();
            handBack(slot, FallbackReason.RING_FULL);
            return true;
        } else if (reservation.isHeld()) {
            Landings.Way way = landings.decideHeld(slot.request.frame(), reservation);
            if (way == Landings.Way.RING) {
                giveUp(reservation);
            } else if (way == Landings.Way.WAIT || !write(slot, way)) {
                return false;
            } else {
                PartitionLanding place = reservation.place;
                reservations.release(reservation);
                reserved.poll();
                landings.endIfDue(place);
                return true;
            }
        }
        // Nothing is reserved for it any more, as for all behind it that go to the same place.
        if (!tryWrite(slot) || reservation.state != Reservation.State.NONE) {
            return false;
        }
        reserved.poll();
        return true;
    }

    private void giveUp(Reservation reservation) {
        if (reservation.isHeld()) {
            PartitionLanding place = reservation.place;
            reservations.release(reservation);
            landings.abandoned(place);
        }
    }

    private boolean write(RingRequest slot, Landings.Way way) {
        boolean lands = way == Landings.Way.LAND;
        int payloadBytes = lands
                ? frames.placedPayloadBytes(landings)
                : slot.request.frame().readableBytes();
        int frameBytes = RingFrame.frameBytes(payloadBytes);
        long start = space.tryClaim(frameBytes);
        hasNoRoom = start < 0;
        if (hasNoRoom) {
            return false;
        }
        slot.sequence = nextSequence++;
        if (lands && frames.place(port, slot, landings, start)) {
            frames.gatherPlaced(port.beginGather(), slot, landings, start, frameBytes);
            landings.placed();
            meters.placedBytes.add(landings.recordBytes());
            slot.request.placed();
        } else if (lands) {
            return refused(slot);
        } else {
            frames.gather(port.beginGather(), slot, start, frameBytes);
            meters.ringBytes.add(payloadBytes);
        }
        return post(slot, start);
    }

    private boolean post(RingRequest slot, long start) {
        slot.postedAtNs = System.nanoTime();
        long remoteAddress = memory.address() + (start & (space.ringBytes() - 1));
        if (!port.writeGathered(slot, remoteAddress, memory.rkey(), RingFrame.immOf(start))) {
            return refused(slot);
        }
        slot.state = RingRequest.State.POSTED;
        unanswered.put(slot.sequence, slot);
        return true;
    }

    /** The position was claimed for nothing, which only a link that has ended may do; the request stays unwritten. */
    private boolean refused(RingRequest slot) {
        slot.releaseFrame();
        onBroken.accept("queue pair refuses work");
        return false;
    }

    /** Begins and ends landings that were decided on; false if not all could be written now. */
    boolean writeChanges() {
        PartitionLanding place;
        while (!closed && (place = landings.nextChange()) != null) {
            if (unansweredChanges == LandedBatches.MOST_LANDINGS || !port.hasRoom(1) || free.isEmpty()) {
                return false;
            }
            int frameBytes = RingFrame.frameBytes(Integer.BYTES);
            long start = space.tryClaim(frameBytes);
            if (start < 0) {
                return false;
            }
            RingRequest slot = free.poll();
            slot.place = place;
            slot.sequence = nextSequence++;
            frames.gatherChange(port.beginGather(), slot, start, frameBytes);
            if (!post(slot, start)) {
                slot.clear();
                free.add(slot);
                return false;
            }
            unansweredChanges++;
            landings.changeWritten();
        }
        return true;
    }

    /**
     * A reply frame arrived.
     *
     * @param response with its size, as it will be sent; owned by this method; null if there is none
     * @return false if no such request is unanswered or the released position is impossible: the link must break
     */
    boolean onReply(long sequence, int flags, long released, ByteBuf response) {
        RingRequest slot = unanswered.remove(sequence);
        if (slot == null || !space.release(released)) {
            if (slot != null) {
                unanswered.put(sequence, slot);
            }
            if (response != null) {
                response.release();
            }
            return false;
        }
        meters.requests.recordNs(System.nanoTime() - slot.postedAtNs);
        slot.replied = true;
        slot.replyFlags = flags;
        slot.reply = response;
        finishIfComplete(slot);
        writeWaiting();
        return true;
    }

    /** Whether that request is unanswered; throttle frames name one that may be answered already, so this is not required of them. */
    boolean release(long released) {
        boolean plausible = space.release(released);
        writeWaiting();
        return plausible;
    }

    void finishIfComplete(RingRequest slot) {
        if (!slot.writeCompleted) {
            return;
        }
        slot.releaseFrame();
        if (slot.replied && slot.place != null) {
            PartitionLanding place = slot.place;
            ByteBuf position = slot.reply;
            unansweredChanges--;
            slot.clear();
            free.add(slot);
            landings.onChanged(place, position);
            if (position != null) {
                position.release();
            }
            writeWaiting();
        } else if (slot.replied) {
            RingClient client = slot.client;
            PendingRequest request = slot.request;
            ByteBuf response = slot.reply;
            int flags = slot.replyFlags;
            slot.clear();
            free.add(slot);
            client.onReply(request, flags, response);
        }
    }

    void writeWaiting() {
        writeChanges();
        while (!closed && !reserved.isEmpty() && tryWriteReserved(reserved.peek())) {
            // Written, or handed back.
        }
        writeChanges();
        while (!closed && reserved.isEmpty() && !waiting.isEmpty()) {
            RingRequest next = waiting.peek();
            if (next.request.isCancelled() || !next.client.mayBeWritten(next.request)) {
                handBack(waiting.poll(), FallbackReason.RING_FULL);
            } else if (tryWrite(next)) {
                waiting.poll();
            } else {
                return;
            }
        }
        reserveAhead();
    }

    private void handBack(RingRequest slot, FallbackReason reason) {
        RingClient client = slot.client;
        PendingRequest request = slot.request;
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
        while (!closed && !waiting.isEmpty() && waiting.peek().deadlineNs - now <= 0) {
            meters.fellBack.increment();
            handBack(waiting.poll(), FallbackReason.RING_FULL);
        }
        if (!closed && !waiting.isEmpty()) {
            scheduleExpiry(Math.max(1, waiting.peek().deadlineNs - now));
        }
    }

    /** The queue pair is closed. Written requests end with an unknown outcome first, so that none of the same client falls back before. */
    void close(String reason) {
        closed = true;
        for (RingRequest slot : all) {
            if (slot.state == RingRequest.State.POSTED) {
                RingClient client = slot.client;
                PendingRequest request = slot.request;
                if (slot.reply != null) {
                    slot.reply.release();
                }
                slot.clear();
                if (client != null) {
                    client.onOutcomeUnknown(request, reason);
                }
            }
        }
        for (RingRequest slot = reserved.poll(); slot != null; slot = reserved.poll()) {
            handBack(slot, FallbackReason.LINK_DOWN);
        }
        for (RingRequest slot = waiting.poll(); slot != null; slot = waiting.poll()) {
            handBack(slot, FallbackReason.LINK_DOWN);
        }
        unanswered.clear();
        frames.close();
    }
}
