// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingCursor;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.ring.RingSpace;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.protocol.slot.SlotWriter;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One link at the peer: rings and slots over a real queue pair, according to docs/protocol.md. Confined to the peer's
 * thread.
 */
final class PeerLink {
    static final int SLOTS = 64;

    /** A request frame that has arrived. */
    record Landed(long sequence, int session, int flags, byte[] payload, long end) {}

    private record Window(PeerLog.Segment segment, int start, int end) {}

    final int linkId;
    final int credits;
    final ProtectionDomain domain;
    final CompletionQueue completions;
    final MemoryRegion requestRing;
    final MemoryRegion slotTable;
    final MemoryRegion armTable;
    final MemoryRegion controlWord;
    final SlotWriter slots;
    final Map<Integer, MemoryRegion> segments = new HashMap<>();
    /** By rkey, if part of a segment was granted. */
    private final Map<Integer, Window> windows = new HashMap<>();

    final Set<Integer> releasedSegments = new java.util.HashSet<>();
    final List<Integer> releasedSlots = new ArrayList<>();
    final List<Integer> sessions = new ArrayList<>();
    private final RingCursor cursor;
    private final WorkRequest work = new WorkRequest();
    private final WorkCompletion[] batch = {new WorkCompletion(), new WorkCompletion(), new WorkCompletion()};
    private final MemoryRegion staging;
    private RemoteMemory replyRing;
    private RingSpace replySpace;
    QueuePair queuePair;
    boolean beating = true;
    long released;
    int mostUnanswered;
    private int unanswered;
    private String violation;

    private final BlockingQueue<Landed> landed;

    PeerLink(
            int linkId,
            ProtectionDomain domain,
            CompletionQueue completions,
            int ringBytes,
            int credits,
            long bootId,
            BlockingQueue<Landed> landed)
            throws IOException {
        this.landed = landed;
        this.linkId = linkId;
        this.credits = credits;
        this.domain = domain;
        this.completions = completions;
        requestRing = domain.allocate(ringBytes, EnumSet.of(Access.REMOTE_WRITE));
        slotTable = domain.allocate(SlotLayout.tableBytes(SLOTS), EnumSet.of(Access.REMOTE_READ));
        armTable = domain.allocate(SLOTS * 8L, EnumSet.of(Access.REMOTE_WRITE));
        controlWord = domain.allocate(8, EnumSet.of(Access.REMOTE_WRITE));
        staging = domain.allocate(1 << 16, EnumSet.noneOf(Access.class));
        SlotTableHeader.initialise(slotTable.buffer(), bootId, SLOTS);
        slots = new SlotWriter(slotTable.buffer(), SLOTS);
        cursor = new RingCursor(ringBytes);
    }

    void connected(QueuePair accepted) {
        queuePair = accepted;
        for (MemoryRegion region : List.of(requestRing, slotTable, armTable, controlWord)) {
            await(region);
        }
        for (int i = 0; i < 2 * credits; i++) {
            queuePair.postReceive(0);
        }
    }

    private void await(MemoryRegion region) {
        queuePair
                .export(region)
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    static RemoteMemory describe(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.lengthBytes(), region.rkey());
    }

    ControlResponse attach(ControlRequest.AttachLink request, int slotCount) {
        replyRing = request.replyRing();
        replySpace = new RingSpace((int) replyRing.lengthBytes());
        return new ControlResponse.AttachLink(
                ControlError.NONE,
                null,
                describe(requestRing),
                describe(slotTable),
                describe(armTable),
                describe(controlWord),
                slotCount,
                credits);
    }

    void poll() {
        if (beating) {
            SlotTableHeader.beat(slotTable.buffer());
        }
        for (int n = completions.poll(batch); n > 0; n = completions.poll(batch)) {
            for (int i = 0; i < n; i++) {
                if (batch[i].status == CompletionStatus.SUCCESS && batch[i].opcode == Opcode.RECV_WITH_IMM) {
                    queuePair.postReceive(0);
                    land(batch[i].imm);
                }
            }
        }
    }

    private void land(int imm) {
        long start = cursor.startOf(imm);
        int offset = cursor.offsetOf(start);
        var ring = requestRing.buffer();
        int length = ring.getInt(offset + RingFrame.LENGTH_OFFSET);
        if (start < 0 || ring.getInt(offset) != RingFrame.MAGIC || !cursor.advance(start, length)) {
            violation = "frame at " + start + " of " + length;
            return;
        }
        byte[] payload = new byte[length];
        ring.get(offset + RingFrame.HEADER_BYTES, payload);
        int flags = ring.getInt(offset + RingFrame.FLAGS_OFFSET);
        // An incomplete request is followed by old bytes of the ring.
        int padding = flags != 0 ? 0 : RingFrame.frameBytes(length) - RingFrame.HEADER_BYTES - length;
        for (int i = 0; i < padding; i++) {
            if (ring.get(offset + RingFrame.HEADER_BYTES + length + i) != 0) {
                violation = "padding is not zero";
            }
        }
        unanswered++;
        mostUnanswered = Math.max(mostUnanswered, unanswered);
        landed.add(new Landed(
                ring.getLong(offset + RingFrame.SEQUENCE_OFFSET),
                ring.getInt(offset + RingFrame.SESSION_OFFSET),
                flags,
                payload,
                cursor.position()));
    }

    /** Throws if the proxy violates the protocol. */
    void check() {
        if (violation != null || unanswered > credits) {
            throw new AssertionError(violation + ", unanswered " + unanswered);
        }
    }

    /** Answers a frame; frames are released up to the largest end of these calls. */
    void reply(Landed frame, int flags, byte[] payload) {
        released = Math.max(released, frame.end());
        unanswered--;
        frame(flags, frame.sequence(), frame.session(), payload);
    }

    /** Sends a part of the answer, which the last part follows as the reply. */
    void part(Landed frame, String payload) {
        byte[] bytes = payload.getBytes(StandardCharsets.ISO_8859_1);
        frame(RingFrame.FLAG_MORE, frame.sequence(), frame.session(), bytes);
    }

    void throttle(int session, boolean start) {
        int flag = start ? RingFrame.FLAG_THROTTLE_START : RingFrame.FLAG_THROTTLE_END;
        frame(flag, 0, session, new byte[0]);
    }

    private void frame(int flags, long sequence, int session, byte[] payload) {
        replySpace.release(controlWord.buffer().getLong(0));
        long start = replySpace.tryClaim(RingFrame.frameBytes(payload.length));
        if (start < 0) {
            throw new AssertionError("the proxy does not give the reply ring back: "
                    + controlWord.buffer().getLong(0) + " of " + replySpace.head());
        }
        RingFrame.encodeHeader(staging.buffer(), 0, flags, sequence, session, payload.length, released);
        staging.buffer().put(RingFrame.HEADER_BYTES, payload);
        raw(
                (int) (start & (replySpace.ringBytes - 1)),
                RingFrame.HEADER_BYTES + payload.length,
                RingFrame.immOf(start));
    }

    /** Writes staged bytes at an offset of the reply ring, valid or not. */
    void raw(int offset, int lengthBytes, int imm) {
        work.clearSegments();
        if (lengthBytes > 0) {
            work.addSegment(staging.lkey(), staging.address(), lengthBytes);
        }
        work.opcode = Opcode.WRITE_WITH_IMM;
        work.remoteAddress = replyRing.address() + offset;
        work.rkey = replyRing.rkey();
        work.imm = imm;
        queuePair.post(work);
    }

    /** Publishes, then rings the slot's doorbell if it is armed. */
    void publish(PeerLog log) {
        log.publish(slots);
        if (armTable.buffer().getLong(log.slot * 8) != 0) {
            armTable.buffer().putLong(log.slot * 8, 0);
            raw(0, 0, RingFrame.IMM_SLOT_DOORBELL | log.slot);
        }
    }

    /** The eight bytes of a word, in memory order. */
    static String wordAt(MemoryRegion region, int offset) {
        byte[] bytes = new byte[Long.BYTES];
        region.buffer().get(offset, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    boolean isArmed(int slot) {
        return armTable.buffer().getLong(slot * 8) != 0;
    }

    RemoteMemory export(PeerLog.Segment segment) throws IOException {
        if (!segments.containsKey(segment.rkey)) {
            MemoryRegion region =
                    domain.registerFile(segment.file, 0, segment.sealed ? segment.sizeBytes : Integer.MAX_VALUE);
            await(region);
            segment.rkey = region.rkey();
            segments.put(region.rkey(), region);
        }
        return describe(segments.get(segment.rkey));
    }

    /**
     * Registers the segment from the page of {@code position} up to {@code end}, at most to the file's current last
     * page. An open window that suffices is granted again.
     */
    RemoteMemory exportWindow(PeerLog.Segment segment, int position, int end) throws IOException {
        int start = position & -PluginPeer.PAGE;
        int filePages = (segment.sizeBytes + PluginPeer.PAGE - 1) & -PluginPeer.PAGE;
        int granted = segment.sealed ? Math.min(end, segment.sizeBytes) : Math.min(end, filePages);
        if (granted <= position) {
            return new RemoteMemory(0, 0, 0);
        }
        for (Map.Entry<Integer, Window> open : windows.entrySet()) {
            Window window = open.getValue();
            if (window.segment() == segment
                    && window.start() <= position
                    && window.end() >= granted
                    && segments.containsKey(open.getKey())) {
                return describe(window, open.getKey());
            }
        }
        MemoryRegion region = domain.registerFile(segment.file, start, granted - start);
        await(region);
        segments.put(region.rkey(), region);
        Window window = new Window(segment, start, granted);
        windows.put(region.rkey(), window);
        return describe(window, region.rkey());
    }

    private RemoteMemory describe(Window window, int rkey) {
        return new RemoteMemory(segments.get(rkey).address() - window.start(), window.end(), rkey);
    }

    void close() {
        if (queuePair != null) {
            queuePair.close();
        }
        completions.close();
        for (MemoryRegion region : List.of(requestRing, slotTable, armTable, controlWord, staging)) {
            region.close();
        }
        segments.values().forEach(MemoryRegion::close);
    }
}
