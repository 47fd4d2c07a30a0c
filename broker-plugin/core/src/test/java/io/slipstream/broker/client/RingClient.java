// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.fetch.SlotAccess;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingCursor;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.ring.RingSpace;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A proxy's end of a link, for one thread. */
public final class RingClient implements SlotAccess, AutoCloseable {
    public static final int REPLY_RING_BYTES = 64 * 1024;
    private static final int LANDING_BYTES = 4 << 20;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    /** A reply frame. */
    /** @param flags without FLAG_NAMES_NO_BROKER */
    public record Reply(int flags, boolean namesNoBroker, long sequence, int session, ByteBuffer payload) {}

    public final ControlClient control;
    public final ControlResponse.Hello hello;
    public final ControlResponse.AttachLink link;
    public final int linkId;
    private final RdmaDevice device;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final MemoryRegion replyRing;
    private final MemoryRegion staging;
    private final MemoryRegion consumedWord;
    private final MemoryRegion armWord;
    /** Destination of READs. */
    private final MemoryRegion landing;

    private final RingSpace space;
    private final RingCursor cursor = new RingCursor(REPLY_RING_BYTES);
    private final WorkCompletion[] polled = {new WorkCompletion()};
    private final WorkRequest request = new WorkRequest();
    private final Map<Long, Reply> replies = new HashMap<>();
    /** Beginnings of answers, by sequence. */
    private final Map<Long, ByteArrayOutputStream> parts = new HashMap<>();

    private final List<Integer> doorbells = new ArrayList<>();
    private long nextSequence;
    private long readsDone;
    private long writesDone;
    public int throttleFrames;
    /** Frames that were not the last of their answer. */
    public int partFrames;

    public int largestPartBytes;
    /** State from the last throttle frame. */
    public boolean throttled;

    public RingClient(ControlClient control, int credits) throws Exception {
        this.control = control;
        hello = control.ask(new ControlRequest.Hello("test", "1"), ControlResponse.Hello.class);
        assertThat(hello.error()).isEqualTo(ControlError.NONE);
        ControlResponse.OpenLink open =
                control.ask(new ControlRequest.OpenLink(REPLY_RING_BYTES, credits), ControlResponse.OpenLink.class);
        assertThat(open.error()).as(open.message()).isEqualTo(ControlError.NONE);
        linkId = open.linkId();
        device = RdmaProvider.named(hello.provider()).orElseThrow().open(DeviceConfig.DEFAULT);
        domain = device.createProtectionDomain();
        completions = device.createCompletionQueue(4096);
        replyRing = domain.allocate(REPLY_RING_BYTES, EnumSet.of(Access.REMOTE_WRITE));
        consumedWord = domain.allocate(8, EnumSet.noneOf(Access.class));
        armWord = domain.allocate(8, EnumSet.noneOf(Access.class));
        landing = domain.allocate(LANDING_BYTES, EnumSet.noneOf(Access.class));
        ByteBuffer token = ByteBuffer.allocate(8).putLong(open.token()).flip();
        QueuePairConfig config = new QueuePairConfig(domain, completions, 256, 2048, (pair, reason) -> {});
        queuePair = device.connect(hello.address(), config, token, TIMEOUT_NS)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        queuePair.export(replyRing).toCompletableFuture().get(20, TimeUnit.SECONDS);
        for (int i = 0; i < 2048; i++) {
            assertThat(queuePair.postReceive(0)).isZero();
        }
        link = control.ask(
                new ControlRequest.AttachLink(
                        linkId, new RemoteMemory(replyRing.address(), REPLY_RING_BYTES, replyRing.rkey())),
                ControlResponse.AttachLink.class);
        assertThat(link.error()).as(link.message()).isEqualTo(ControlError.NONE);
        space = new RingSpace((int) link.requestRing().lengthBytes());
        staging = domain.allocate(link.requestRing().lengthBytes(), EnumSet.noneOf(Access.class));
    }

    /** Binds a connection; returns the session id. */
    public int bind(NonceCarrier connection) throws IOException {
        ControlResponse.BeginSession begin =
                control.ask(new ControlRequest.BeginSession(linkId), ControlResponse.BeginSession.class);
        assertThat(begin.error()).as(begin.message()).isEqualTo(ControlError.NONE);
        connection.show(begin.nonce());
        ControlResponse.ConfirmSession confirm = control.ask(
                new ControlRequest.ConfirmSession(linkId, begin.nonce()), ControlResponse.ConfirmSession.class);
        assertThat(confirm.error()).as(confirm.message()).isEqualTo(ControlError.NONE);
        return confirm.sessionId();
    }

    /** Makes the broker handle an ApiVersions request with that nonce. */
    @FunctionalInterface
    public interface NonceCarrier {
        void show(String nonce) throws IOException;
    }

    /** Writes a frame to the request ring and returns its sequence. */
    public long send(int session, ByteBuffer frame) {
        int payloadBytes = frame.remaining();
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        long start;
        while ((start = space.tryClaim(RingFrame.frameBytes(payloadBytes))) < 0) {
            pollOnce();
            assertThat(System.nanoTime()).as("ring space is given back in time").isLessThan(deadlineNs);
        }
        long sequence = nextSequence++;
        assertThat(write(start, RingFrame.MAGIC, sequence, session, frame)).isGreaterThanOrEqualTo(0);
        return sequence;
    }

    /** Writes a frame with any header values, correct or not. Returns the status of the post. */
    public long write(long start, int magic, long sequence, int session, ByteBuffer frame) {
        int offset = (int) (start & (space.ringBytes - 1));
        RingFrame.encodeHeader(staging.buffer(), offset, 0, sequence, session, frame.remaining(), 0);
        staging.buffer().putInt(offset + RingFrame.MAGIC_OFFSET, magic);
        staging.buffer().duplicate().position(offset + RingFrame.HEADER_BYTES).put(frame.duplicate());
        request.clearSegments()
                .addSegment(staging.lkey(), staging.address() + offset, RingFrame.HEADER_BYTES + frame.remaining());
        request.opcode = Opcode.WRITE_WITH_IMM;
        request.signaled = true;
        request.remoteAddress = link.requestRing().address() + offset;
        request.rkey = link.requestRing().rkey();
        request.imm = RingFrame.immOf(start);
        return queuePair.post(request);
    }

    /** Changes bytes of the broker's request ring without immediate data, as only a hostile proxy does. */
    public void scribble(int offset, ByteBuffer bytes) {
        ByteBuffer staged = staging.buffer().position(offset);
        staged.put(bytes.duplicate());
        request.clearSegments().addSegment(staging.lkey(), staging.address() + offset, bytes.remaining());
        request.opcode = Opcode.WRITE;
        request.signaled = true;
        request.remoteAddress = link.requestRing().address() + offset;
        request.rkey = link.requestRing().rkey();
        long before = writesDone;
        assertThat(queuePair.post(request)).isGreaterThanOrEqualTo(0);
        pollUntil("a WRITE", () -> writesDone > before);
    }

    /** Returns the ring offset of the next frame of that size. */
    public int nextOffset(int payloadBytes) {
        return (int) (RingFrame.startOf(space.head(), RingFrame.frameBytes(payloadBytes), space.ringBytes)
                & (space.ringBytes - 1));
    }

    /** Handles received replies and returns whether that request is answered. */
    public boolean isAnswered(long sequence) {
        pollOnce();
        return replies.containsKey(sequence);
    }

    /** Waits for the answer to that request. */
    public Reply await(long sequence) {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        Reply reply;
        while ((reply = replies.remove(sequence)) == null) {
            pollOnce();
            assertThat(System.nanoTime())
                    .as("reply " + sequence + " arrives in time")
                    .isLessThan(deadlineNs);
        }
        return reply;
    }

    /** Waits until that many doorbells have rung; returns their slots. */
    public List<Integer> awaitDoorbells(int count) {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (doorbells.size() < count) {
            pollOnce();
            assertThat(System.nanoTime()).as("doorbells ring in time").isLessThan(deadlineNs);
        }
        return doorbells;
    }

    /** Waits until the plugin has broken the link. */
    public void awaitBroken() {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (queuePair.state() == QueuePairState.CONNECTED) {
            completions.poll(polled);
            assertThat(System.nanoTime()).as("the link breaks in time").isLessThan(deadlineNs);
            Thread.onSpinWait();
        }
    }

    private void pollOnce() {
        if (completions.poll(polled) == 0) {
            Thread.onSpinWait();
            return;
        }
        WorkCompletion completion = polled[0];
        assertThat(completion.status)
                .as(completion + " " + queuePair.errorReason())
                .isEqualTo(CompletionStatus.SUCCESS);
        if (completion.opcode == Opcode.RECV_WITH_IMM) {
            if ((completion.imm & RingFrame.IMM_SLOT_DOORBELL) != 0) {
                doorbells.add(completion.imm & ~RingFrame.IMM_SLOT_DOORBELL);
                assertThat(queuePair.postReceive(0)).isZero();
            } else {
                take(completion.imm);
            }
        } else if (completion.opcode == Opcode.READ) {
            readsDone++;
        } else if (completion.opcode == Opcode.WRITE) {
            writesDone++;
        }
    }

    private void take(int imm) {
        assertThat(queuePair.postReceive(0)).isZero();
        long start = cursor.startOf(imm);
        assertThat(start).as("reply continues the ring").isNotNegative();
        ByteBuffer ring = replyRing.buffer();
        int offset = cursor.offsetOf(start);
        int payloadBytes = ring.getInt(offset + RingFrame.LENGTH_OFFSET);
        assertThat(ring.getInt(offset + RingFrame.MAGIC_OFFSET)).isEqualTo(RingFrame.MAGIC);
        assertThat(cursor.advance(start, payloadBytes)).isTrue();
        byte[] payload = new byte[payloadBytes];
        ring.get(offset + RingFrame.HEADER_BYTES, payload);
        int allFlags = ring.getInt(offset + RingFrame.FLAGS_OFFSET);
        int flags = allFlags & ~RingFrame.FLAG_NAMES_NO_BROKER;
        long sequence = ring.getLong(offset + RingFrame.SEQUENCE_OFFSET);
        assertThat(space.release(ring.getLong(offset + RingFrame.RELEASED_OFFSET)))
                .isTrue();
        if ((flags & RingFrame.FLAG_MORE) != 0) {
            partFrames++;
            largestPartBytes = Math.max(largestPartBytes, payloadBytes);
            parts.computeIfAbsent(sequence, key -> new ByteArrayOutputStream()).writeBytes(payload);
            tellConsumed();
            return;
        }
        ByteArrayOutputStream begun = parts.remove(sequence);
        if (begun != null && flags == 0) {
            begun.writeBytes(payload);
            ByteBuffer whole = ByteBuffer.wrap(begun.toByteArray());
            assertThat(whole.getInt()).as("size of the parts").isEqualTo(whole.remaining());
            payload = new byte[whole.remaining()];
            whole.get(payload);
        }
        Reply reply = new Reply(
                flags,
                flags != allFlags,
                sequence,
                ring.getInt(offset + RingFrame.SESSION_OFFSET),
                ByteBuffer.wrap(payload));
        if (reply.session == RingFrame.NO_SESSION) {
            assertThat(reply.flags).as("a frame that only releases").isEqualTo(RingFrame.FLAG_THROTTLE_END);
        } else if ((reply.flags & (RingFrame.FLAG_THROTTLE_START | RingFrame.FLAG_THROTTLE_END)) != 0) {
            throttleFrames++;
            throttled = (reply.flags & RingFrame.FLAG_THROTTLE_START) != 0;
        } else {
            assertThat(replies.put(reply.sequence, reply)).as("one answer each").isNull();
        }
        tellConsumed();
    }

    private void tellConsumed() {
        consumedWord.buffer().putLong(0, cursor.position());
        request.clearSegments().addSegment(consumedWord.lkey(), consumedWord.address(), 8);
        request.opcode = Opcode.WRITE;
        request.signaled = true;
        request.remoteAddress = link.controlWord().address();
        request.rkey = link.controlWord().rkey();
        assertThat(queuePair.post(request)).isGreaterThanOrEqualTo(0);
    }

    @Override
    public ControlResponse.Locate locate(ControlRequest.Locate locate) throws IOException {
        return control.ask(locate, ControlResponse.Locate.class);
    }

    @Override
    public RemoteMemory slotTable() {
        return link.slotTable();
    }

    @Override
    public ByteBuffer read(RemoteMemory memory, long offset, int lengthBytes) {
        request.clearSegments().addSegment(landing.lkey(), landing.address(), lengthBytes);
        request.opcode = Opcode.READ;
        request.signaled = true;
        request.remoteAddress = memory.address() + offset;
        request.rkey = memory.rkey();
        long before = readsDone;
        assertThat(queuePair.post(request)).isGreaterThanOrEqualTo(0);
        pollUntil("a READ", () -> readsDone > before);
        return landing.buffer().duplicate().limit(lengthBytes);
    }

    /** Arms the slot's doorbell. */
    public void arm(int slot) {
        armWord.buffer().putLong(0, 1L);
        request.clearSegments().addSegment(armWord.lkey(), armWord.address(), Long.BYTES);
        request.opcode = Opcode.WRITE;
        request.signaled = true;
        request.remoteAddress = link.armTable().address() + (long) slot * Long.BYTES;
        request.rkey = link.armTable().rkey();
        assertThat(queuePair.post(request)).isGreaterThanOrEqualTo(0);
    }

    public void pollUntil(String what, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean()) {
            pollOnce();
            assertThat(System.nanoTime()).as(what + " in time").isLessThan(deadlineNs);
        }
    }

    public boolean allSpaceReleased() {
        return space.usedBytes() == 0;
    }

    @Override
    public void close() {
        queuePair.close();
        device.close();
    }
}
