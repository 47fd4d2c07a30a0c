package io.slipstream.proxy.fastpath.link;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.protocol.produce.ProduceRequestView;
import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.proxy.fastpath.PendingRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides for each Produce request, as it is about to be written, whether its batches are placed straight into segments, and has the
 * plugin asked for that where a partition is written to steadily. Confined to the event loop; deciding allocates a view of the request, unless this broker places nothing.
 *
 * <p>While the batches of a partition are placed, none of this link may come by the ring: a request that cannot be placed ends the landing first, with a
 * frame of its own that goes before it.
 */
final class Landings {
    /** What is to be done with a request. */
    enum Way {
        RING,
        LAND,
        /** A place must be reserved for the batch: {@link #place} 0. */
        RESERVE,
        /** The plugin must answer something first. */
        WAIT
    }

    private static final int MOST_PARTITIONS = 1024;
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(10);
    /** Several proxies have more reasons to end a landing that went well. */
    private static final long SHARED_SETTLED_NS = TimeUnit.SECONDS.toNanos(1);

    private final LandingGrants grants;
    private final int afterRequests;
    private final IntObjectHashMap<PartitionLanding> byHash = new IntObjectHashMap<>();
    private final List<PartitionLanding> granted = new ArrayList<>();
    /** Whose begin or end is to be written. */
    private final ArrayDeque<PartitionLanding> changes = new ArrayDeque<>();

    private final RequestHeaderView header = new RequestHeaderView();
    private final ProduceRequestView view = new ProduceRequestView();
    private final PartitionLanding[] places = new PartitionLanding[LandedBatches.MOST_BATCHES];
    private int partitions;
    private ByteBuffer frame;
    private int frameStart;
    private int recordBytes;

    /** @param afterRequests for a partition, that all could have been placed, before it is worth asking; 0: the first waits for the answer */
    Landings(LandingGrants grants, int afterRequests) {
        this.grants = grants;
        this.afterRequests = afterRequests;
    }

    /** Partitions whose batches are placed now, or soon. */
    int granted() {
        return granted.size();
    }

    /**
     * Decides for a request that can be written now. After {@link Way#LAND} the accessors below tell of it, until the next call.
     *
     * @param mostBytes largest request that may be placed
     */
    Way decide(int sessionId, ByteBuf request, int mostBytes) {
        if (grants.isRefusedForGood() || !read(request)) {
            return Way.RING;
        }
        long nowNs = System.nanoTime();
        int count = Math.min(view.partitionCount(), LandedBatches.MOST_BATCHES);
        boolean all = view.isLandable() && request.readableBytes() <= mostBytes;
        boolean begun = true;
        boolean waits = false;
        recordBytes = 0;
        for (int i = 0; i < count; i++) {
            PartitionLanding place = find(i, nowNs);
            places[i] = place;
            recordBytes += view.batchLength(i);
            all &= place != null && canLand(place, i, sessionId, nowNs);
            begun &= place != null && place.state == PartitionLanding.State.LANDING;
            waits |= place != null && isWaitedFor(place, i);
        }
        if (waits) {
            return Way.WAIT;
        } else if (!all) {
            endAll(count);
            return Way.RING;
        } else if (!begun) {
            beginAll(count);
            return Way.WAIT;
        }
        return places[0].isShared() ? Way.RESERVE : Way.LAND;
    }

    private boolean read(ByteBuf request) {
        frame = request.internalNioBuffer(request.readerIndex(), request.readableBytes());
        frameStart = frame.position();
        return header.wrap(frame) && view.wrap(frame, header.bodyPosition(), header.apiVersion());
    }

    /** Where a place may be reserved for a request that must wait for others before it is written; null if nowhere yet. Decides nothing. */
    PartitionLanding mayReserve(ByteBuf request, int mostBytes) {
        if (grants.isRefusedForGood()
                || changes.peek() != null
                || request.readableBytes() > mostBytes
                || !read(request)
                || view.partitionCount() != 1
                || !view.isLandable()) {
            return null;
        }
        PartitionLanding place = find(0, System.nanoTime());
        boolean lands = place != null && place.state == PartitionLanding.State.LANDING && !place.ends;
        recordBytes = view.batchLength(0);
        return lands && place.isShared() ? place : null;
    }

    /** As {@link #decide}, of a request that holds a place: to be placed there, to wait for a window, or to give the place up. */
    Way decideHeld(ByteBuf request, Reservation held) {
        PartitionLanding place = held.place;
        boolean readable = read(request);
        if (readable && place.covers(held.position, held.lengthBytes)) {
            places[0] = place;
            place.position = (int) held.position;
            place.order = held.order;
            place.usedAtNs = System.nanoTime();
            recordBytes = held.lengthBytes;
            return Way.LAND;
        } else if (readable && !place.exhausted && place.state == PartitionLanding.State.LANDING) {
            grants.extend(place, (int) Math.min(held.position, place.windowEnd()));
            return Way.WAIT;
        }
        return Way.RING;
    }

    /** A place that was reserved is not written. */
    void abandoned(PartitionLanding place) {
        place.leavesHoles = true;
        end(place);
    }

    /** Nothing more may be reserved there. */
    void refused(PartitionLanding place) {
        end(place);
    }

    /** Ends what is to end when all that was reserved there is written or given up. */
    void endIfDue(PartitionLanding place) {
        if (place.ends && place.reserved == 0 && place.state == PartitionLanding.State.LANDING) {
            place.state = PartitionLanding.State.ENDING;
            changes.add(place);
        }
    }

    private PartitionLanding find(int index, long nowNs) {
        boolean byId = ProduceRequestView.hasTopicIds(header.apiVersion());
        int start = view.topicStart(index);
        int length = view.topicLength(index);
        int partition = view.partition(index);
        int hash = partition;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + frame.get(start + i);
        }
        PartitionLanding first = byHash.get(hash);
        for (PartitionLanding place = first; place != null; place = place.next) {
            if (place.is(byId, frame, start, length, partition)) {
                return place;
            }
        }
        if (partitions == MOST_PARTITIONS) {
            return null;
        }
        partitions++;
        byte[] topic = new byte[length];
        frame.get(start, topic);
        PartitionLanding place = new PartitionLanding(byId, topic, partition, nowNs);
        place.next = first;
        byHash.put(hash, place);
        return place;
    }

    private boolean canLand(PartitionLanding place, int index, int sessionId, long nowNs) {
        switch (place.state) {
            case RING -> {
                boolean landable = view.isLandable() && (view.partitionCount() == 1 || !grants.isShared());
                place.requestsInRow = landable ? place.requestsInRow + 1 : 0;
                if (landable && place.requestsInRow >= afterRequests && place.mayAsk(nowNs)) {
                    granted.add(place);
                    grants.ask(place, sessionId);
                }
                return false;
            }
            case PREPARED, BEGINNING -> {
                return true;
            }
            case LANDING -> {
                place.usedAtNs = nowNs;
                if (place.leftBytes() >= 0 && place.leftBytes() < grants.windowBytes(place) / 2) {
                    grants.extend(place, place.isShared() ? place.reservedEnd : place.position);
                }
                if (place.isShared()) {
                    return !place.ends && view.partitionCount() == 1;
                }
                return place.fits(view.batchLength(index)) && !isListedBefore(place, index);
            }
            default -> {
                return false;
            }
        }
    }

    /** A request that lists a partition twice is the broker's to judge. */
    private boolean isListedBefore(PartitionLanding place, int index) {
        for (int i = 0; i < index; i++) {
            if (places[i] == place) {
                return true;
            }
        }
        return false;
    }

    /** Whether the answer to something that is on its way decides. A window that is being extended is worth a wait for a batch that will fit. */
    private boolean isWaitedFor(PartitionLanding place, int index) {
        int length = view.batchLength(index);
        return place.state == PartitionLanding.State.BEGINNING
                || (place.state == PartitionLanding.State.ASKING && afterRequests == 0)
                || (place.state == PartitionLanding.State.LANDING
                        && !place.isShared()
                        && place.extending
                        && !place.fits(length)
                        && length < grants.windowBytes(place) / 4);
    }

    private void beginAll(int count) {
        for (int i = 0; i < count; i++) {
            if (places[i].state == PartitionLanding.State.PREPARED) {
                places[i].state = PartitionLanding.State.BEGINNING;
                changes.add(places[i]);
            }
        }
    }

    private void endAll(int count) {
        for (int i = 0; i < count; i++) {
            if (places[i] != null) {
                end(places[i]);
            }
        }
    }

    private void end(PartitionLanding place) {
        if (place.state == PartitionLanding.State.LANDING) {
            place.ends = true;
            endIfDue(place);
        }
    }

    /** Whose begin or end is to be written before any request; null if there is none. */
    PartitionLanding nextChange() {
        return changes.peek();
    }

    void changeWritten() {
        changes.poll();
    }

    /** The plugin answered a begin or an end, with a position or without, behind the size that replies have. */
    void onChanged(PartitionLanding place, ByteBuf position) {
        long nowNs = System.nanoTime();
        if (place.state == PartitionLanding.State.BEGINNING
                && position != null
                && position.isReadable(PendingRequest.SIZE_BYTES + Integer.BYTES)) {
            place.state = PartitionLanding.State.LANDING;
            place.position = position.getIntLE(PendingRequest.SIZE_BYTES);
            place.reservedEnd = place.position;
            place.usedAtNs = nowNs;
            place.begunAtNs = nowNs;
            place.windowBytes = place.leftBytes();
            if (place.revoked) {
                end(place);
            }
        } else {
            boolean settled = place.state == PartitionLanding.State.ENDING
                    && (!place.revoked || place.exhausted || isSettled(place, nowNs));
            place.rest(nowNs, settled);
            granted.remove(place);
        }
    }

    /** Whether to ask again at once after the plugin wanted it back. If others wrote and it was this proxy's alone, the plugin refuses for long enough. */
    private static boolean isSettled(PartitionLanding place, long nowNs) {
        return !place.isShared() || nowNs - place.begunAtNs > SHARED_SETTLED_NS;
    }

    /** The plugin wants the landing of that id back. */
    void onRevoked(int landingId) {
        for (int i = 0; i < granted.size(); i++) {
            PartitionLanding place = granted.get(i);
            if (place.landingId == landingId && place.state != PartitionLanding.State.ASKING) {
                revoke(place);
                return;
            }
        }
    }

    private void revoke(PartitionLanding place) {
        place.revoked = true;
        if (place.state == PartitionLanding.State.PREPARED) {
            place.rest(System.nanoTime(), true);
            granted.remove(place);
        } else {
            end(place);
        }
    }

    /** The plugin refused to prepare one. */
    void onRefused(PartitionLanding place) {
        place.rest(System.nanoTime(), false);
        granted.remove(place);
    }

    /** Ends what has not been used for a while; now and then. */
    void endIdle() {
        long nowNs = System.nanoTime();
        for (int i = 0; i < granted.size(); i++) {
            PartitionLanding place = granted.get(i);
            if (nowNs - place.usedAtNs > IDLE_NS) {
                end(place);
            }
        }
    }

    /** Partitions of the request decided for. */
    int count() {
        return view.partitionCount();
    }

    PartitionLanding place(int index) {
        return places[index];
    }

    /** Offset of a batch in the request's frame. */
    int batchOffset(int index) {
        return view.batchStart(index) - frameStart;
    }

    int batchLength(int index) {
        return view.batchLength(index);
    }

    /** Bytes of all batches of the request. */
    int recordBytes() {
        return recordBytes;
    }

    /** Bytes of the frame that remain to be sent by the ring, with what tells where the batches lie. */
    int payloadBytes() {
        return LandedBatches.bytes(count()) + frame.remaining() - recordBytes;
    }

    /** Writes that payload; positions are those before {@link #placed}. {@code target} is little-endian. */
    void writePayload(ByteBuffer target, int offset) {
        int count = count();
        LandedBatches.encodeHeader(target, offset, count, frame.remaining() - recordBytes);
        int from = frameStart;
        int at = offset + LandedBatches.bytes(count);
        for (int i = 0; i < count; i++) {
            PartitionLanding place = places[i];
            LandedBatches.encodeBatch(
                    target, offset, i, place.landingId, place.position, view.batchLength(i), place.order);
            int length = view.batchStart(i) - from;
            target.put(at, frame, from, length);
            at += length;
            from = view.batchStart(i) + view.batchLength(i);
        }
        target.put(at, frame, from, frame.limit() - from);
    }

    /** The batches were written. */
    void placed() {
        for (int i = 0; i < count(); i++) {
            places[i].position += view.batchLength(i);
        }
    }
}
