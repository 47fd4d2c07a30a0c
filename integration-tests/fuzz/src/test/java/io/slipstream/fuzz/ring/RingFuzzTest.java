// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.ring;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.fuzz.ShmPair;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.work.CompletionPump;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.link.work.OperationMeters;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Frames of the real rings of proxy and plugin over a real queue pair. A hostile peer changes arrived frames before
 * they are taken. The input is a script of steps, each an operation and its operands:
 *
 * <pre>
 *   0 submit   length u16                     the proxy submits a request of this length; the plugin takes it
 *   1 answer   frame u8, kind u8, length u8   the plugin answers a held frame; the proxy takes the answer, or its parts
 *   2 forge    field u8, value i32            changes this word in the header of the next frame, in either direction
 *   3 announce imm i32                        announces a frame to the plugin that was not written
 *   4 announce imm i32, bytes u16             announces such a frame to the proxy
 *   a negative number -n                      the plugin has handled held frame n, and answers it later
 * </pre>
 *
 * Unforged frames must arrive unchanged. A forged frame is taken by the rules, or refused with a reason, which ends the
 * link. Each request then has ended once, and no buffer remains.
 */
class RingFuzzTest {
    private static final int RING_BYTES = 2048;
    private static final int CREDITS = 4;
    private static final int STEPS = 64;
    private static final int WORDS_OF_HEADER = RingFrame.HEADER_BYTES / Integer.BYTES;
    /** New rings for each script, and for each step a frame, a request and an answer with their copies. */
    private static final int SCRIPT_BYTES = 256 << 10;

    private static final int STEP_BYTES = 4096;
    private static final int[] ANSWER_FLAGS = {
        0,
        0,
        RingFrame.FLAG_NO_RESPONSE,
        RingFrame.FLAG_CLOSE_CONNECTION,
        RingFrame.FLAG_THROTTLE_START,
        RingFrame.FLAG_THROTTLE_END
    };

    /** Instead of an operation or of flags. All bits are set, so it is no answer. */
    private static final int RELEASE = -1;

    private static final byte[] NOTHING = new byte[RING_BYTES];

    /**
     * Shared by all scripts. Its metric shows that each script returns everything, so that the next one starts with
     * nothing in use.
     */
    private static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true, true);

    private static final ShmPair PAIR = ShmPair.connect();
    private static final MemoryRegion REQUEST_RING = PAIR.far.exported(RING_BYTES);
    private static final MemoryRegion CONTROL_WORD = PAIR.far.exported(8);
    private static final MemoryRegion STAGING = PAIR.far.local(RING_BYTES);
    private static final MemoryRegion REPLY_RING = PAIR.near.exported(RING_BYTES);
    private static final MemoryRegion WORDS = PAIR.near.local(LinkMemory.WORDS_BYTES);
    private static final OperationMeters METERS = new OperationMeters(new MeterRegistry(Meter.values()));
    private static final CompletionPump PUMP =
            new CompletionPump(new LoopTurn(new EmbeddedChannel().eventLoop()), PAIR.near.completions, 0, null);

    static {
        PAIR.near.postReceives(ShmPair.DEPTH / 2);
        PAIR.far.postReceives(ShmPair.DEPTH / 2);
    }

    private ProxyRings proxy;
    private BrokerRings broker;
    private final ArrayDeque<byte[]> sent = new ArrayDeque<>();
    private int fill;
    private int forgedWord;
    private int forgedValue;
    private boolean forging;
    private boolean over;

    @FuzzTest
    void shouldTakeWhatWasWrittenAndRefuseWhatWasForged(byte[] script) {
        int steps = Math.min(STEPS, script.length);
        HeapUse.requireAtMost(SCRIPT_BYTES + (long) STEP_BYTES * steps, () -> run(script));
    }

    private void run(byte[] script) {
        CONTROL_WORD.buffer().putLong(0, 0);
        REQUEST_RING.buffer().put(0, NOTHING);
        REPLY_RING.buffer().put(0, NOTHING);
        proxy = new ProxyRings(
                PAIR.near,
                PUMP,
                REPLY_RING,
                WORDS,
                remote(REQUEST_RING),
                remote(CONTROL_WORD),
                CREDITS,
                METERS,
                ALLOCATOR);
        broker = new BrokerRings(PAIR.far, REQUEST_RING, CONTROL_WORD, STAGING, remote(REPLY_RING), CREDITS);
        sent.clear();
        forging = false;
        over = false;
        ByteBuffer in = ByteBuffer.wrap(script);
        for (int i = 0; i < STEPS && in.remaining() >= 8 && !over; i++) {
            step(in);
        }
        drain();
        proxy.close();
    }

    private void step(ByteBuffer in) {
        int operation = in.get();
        switch (operation < 0 ? RELEASE : operation % 5) {
            case 0 -> {
                byte[] frame = new byte[(in.getShort() & 0xffff) % (proxy.maxFrameBytes() + 1)];
                Arrays.fill(frame, (byte) fill++);
                if (proxy.submit(frame)) {
                    sent.add(frame);
                }
                landRequests();
            }
            case 1 -> {
                int frame = in.get() & 0xff;
                int flags = ANSWER_FLAGS[(in.get() & 0xff) % ANSWER_FLAGS.length];
                int size = flags == 0 ? in.get() & 0xff : 0;
                // The largest answers are larger than the ring.
                byte[] payload = new byte[size < 128 ? size : (size - 128) * 17];
                if (broker.heldFrames() > 0) {
                    answer(frame % broker.heldFrames(), flags, payload);
                }
            }
            case 2 -> {
                forgedWord = in.get() & 7;
                forgedValue = in.getInt();
                forging = true;
            }
            case 3 -> {
                broker.take(in.getInt());
                over = true;
            }
            case 4 -> {
                String refusal = proxy.accept(in.getInt(), in.getShort() & 0xffff);
                over = true;
                require(refusal == null || !refusal.isBlank(), "a refusal without a reason");
            }
            case RELEASE -> {
                if (broker.heldFrames() > 0) {
                    answer(-operation % broker.heldFrames(), RELEASE, new byte[0]);
                }
            }
            default -> {}
        }
    }

    private void landRequests() {
        // The proxy's writes complete first, so that a reply finds its request's write done.
        require(proxy.nextArrival() == null, "a reply that was not sent");
        for (long imm = broker.nextArrival(); imm >= 0 && !over; imm = broker.nextArrival()) {
            int offset = (int) (imm << 6) & (RING_BYTES - 1);
            boolean forged = forge(REQUEST_RING, offset);
            ByteBuffer payload = broker.take((int) imm);
            if (forged) {
                over = true;
            } else {
                require(payload != null, "an unforged frame is refused");
                require(payload.equals(ByteBuffer.wrap(sent.remove())), "a different request than the submitted one");
            }
        }
    }

    private void answer(int index, int flags, byte[] payload) {
        long sequence = broker.sequence(index);
        Arrays.fill(payload, (byte) sequence);
        int endedBefore = proxy.ended.size();
        boolean isAnswer = (flags & (RingFrame.FLAG_THROTTLE_START | RingFrame.FLAG_THROTTLE_END)) == 0;
        boolean isPosted;
        if (flags == RELEASE) {
            isPosted = broker.release(index);
        } else if (isAnswer) {
            isPosted = broker.answer(index, flags, payload);
        } else {
            isPosted = broker.throttle(index, flags == RingFrame.FLAG_THROTTLE_START);
        }
        if (!isPosted) {
            return;
        }
        if (!deliver()) {
            return;
        }
        while (isAnswer && !broker.isAnswered()) {
            require(proxy.ended.size() == endedBefore, "an answer before its last part");
            require(broker.answerOn(), "no room for a part, although all others are read");
            if (!deliver()) {
                return;
            }
        }
        require(proxy.ended.size() == endedBefore + (isAnswer ? 1 : 0), "requests that ended");
        if (isAnswer) {
            ProxyRings.Ended ended = proxy.ended.get(endedBefore);
            require(ended.request().number == sequence, "the answer ended another request");
            require(ended.flags() == flags, "flags " + ended.flags() + " instead of " + flags);
            require(flags != 0 || Arrays.equals(ended.response(), payload), "a different answer than the sent one");
        }
        landRequests(); // Requests that waited for a credit or for room.
    }

    /** Hands the plugin's frame to the proxy. Returns false if it was forged, which ends the script. */
    private boolean deliver() {
        WorkCompletion arrival = proxy.nextArrival();
        require(arrival != null, "the answer did not arrive");
        int imm = arrival.imm;
        int landedBytes = arrival.byteLen;
        boolean forged = forge(REPLY_RING, (imm << 6) & (RING_BYTES - 1));
        String refusal = proxy.accept(imm, landedBytes);
        if (forged) {
            over = true;
            require(refusal == null || !refusal.isBlank(), "a refusal without a reason");
            return false;
        }
        require(refusal == null, "an unforged answer is refused: " + refusal);
        return true;
    }

    /** Changes a word of the frame's header if the script demands it. */
    private boolean forge(MemoryRegion ring, int offset) {
        if (!forging) {
            return false;
        }
        forging = false;
        ring.buffer().putInt(offset + forgedWord % WORDS_OF_HEADER * Integer.BYTES, forgedValue);
        return true;
    }

    /** Handles everything in flight, so that the next script starts clean. */
    private void drain() {
        while (broker.nextArrival() >= 0 || proxy.nextArrival() != null) {
            over = true;
        }
    }

    private static RemoteMemory remote(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.lengthBytes(), region.rkey());
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
