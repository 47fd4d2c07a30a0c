// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.ring.RingSpace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestRingReaderTest {
    private static final int RING_BYTES = 4096;
    private static final int CREDITS = 16;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(RING_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final RingSession bound = new RingSession(new BoundSession(
            1,
            1,
            new ObservedConnection("connection", "", "PLAINTEXT", "User:alice", false, null),
            SessionLifetime.UNLIMITED));
    private RingSession session;
    private final RequestRingReader ring =
            new RequestRingReader(memory, ByteBuffer.allocateDirect(RING_BYTES), CREDITS, id -> session);
    private final RingSpace writer = new RingSpace(RING_BYTES);
    private long sequence;

    /**
     * A writer whose ring is empty may skip to the next lap. A second frame behind that one overwrites no unread byte.
     */
    @Test
    void shouldTakeASecondFrameBehindOneThatSkippedToTheNextLap() {
        release(write(1024 - RingFrame.HEADER_BYTES));
        RingFrameIn skipped = write(RING_BYTES - 1024);
        RingFrameIn second = write(64);
        assertThat(skipped.start).isEqualTo(RING_BYTES);
        assertThat(second.start).isEqualTo(skipped.end);
    }

    @Test
    void shouldTakeWhateverACorrectWriterWrites() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("RequestRingReaderTest seed " + seed);
        Random random = new Random(seed);
        ArrayDeque<RingFrameIn> held = new ArrayDeque<>();
        for (int round = 0; round < 200_000; round++) {
            int payloadBytes = random.nextInt(random.nextBoolean() ? 200 : RING_BYTES - RingFrame.HEADER_BYTES + 1);
            RingFrameIn frame = held.size() == CREDITS ? null : tryWrite(payloadBytes);
            if (frame != null) {
                held.add(frame);
            }
            if (frame == null || random.nextInt(3) == 0) {
                RingFrameIn done = held.poll();
                if (done != null) {
                    release(done);
                }
            }
        }
    }

    @Test
    void shouldReleaseSpaceWhenTheBrokerHasLetGoOfTheBytes() {
        RingFrameIn first = write(8);
        RingFrameIn second = write(8);
        second.releaseBytes();
        assertThat(ring.released()).as("in ring order").isZero();
        ring.onAnswered(first);
        assertThat(ring.released()).as("the broker still reads the bytes").isZero();
        first.releaseBytes();
        assertThat(ring.released()).as("without an answer to the second").isEqualTo(second.end);
        assertThat(ring.isDrained()).as("the second needs its answer").isFalse();
        ring.onAnswered(second);
        assertThat(ring.isDrained()).isTrue();
    }

    /** A transactional batch may be appended long after handling. */
    @Test
    void shouldKeepTheBytesOfABarrierUntilItsAnswer() {
        RingFrameIn first = write(8);
        bound.setBarrier(first);
        first.releaseBytes();
        assertThat(ring.released()).isZero();
        ring.onAnswered(first);
        assertThat(ring.released()).isEqualTo(first.end);
    }

    /** The coordinator of a transaction may not answer for long. Other clients need the space of its requests. */
    @Test
    void shouldReleaseTheSpaceOfABarrierThatIsMovedOut() {
        RingFrameIn first = write(8);
        bound.setBarrier(first);
        ByteBuffer inRing = first.payload();
        assertThat(ring.moveOut(first)).isTrue();
        assertThat(first.payload()).isEqualTo(inRing).isNotSameAs(inRing);
        assertThat(ring.released()).as("before it is handled").isZero();
        first.releaseBytes();
        assertThat(ring.released()).isEqualTo(first.end);
        assertThat(ring.use.movedBytes).hasValue(8);

        ring.onAnswered(first);
        assertThat(ring.use.movedBytes).hasValue(0);
        assertThat(ring.isDrained()).isTrue();
    }

    @Test
    void shouldMoveOutAtMostAsManyBytesAsTheRingHas() {
        ArrayDeque<RingFrameIn> moved = new ArrayDeque<>();
        int half = RING_BYTES / 2;
        for (int i = 0; i < 2; i++) {
            RingFrameIn frame = write(half);
            assertThat(ring.moveOut(frame)).isTrue();
            frame.releaseBytes();
            writer.release(ring.released());
            moved.add(frame);
        }
        RingFrameIn last = write(8);
        assertThat(ring.moveOut(last)).isFalse();
        ring.onAnswered(moved.poll());
        assertThat(ring.moveOut(last)).isTrue();
    }

    /** They wait for earlier requests of their connections, of which one may wait for long. */
    @Test
    void shouldMoveOutHeldRequestsWhenSpaceOrCreditsAreScarce() {
        RingFrameIn barrier = write(8);
        bound.setBarrier(barrier);
        RingFrameIn large = write(RING_BYTES / 2);
        RingFrameIn small = write(8);
        assertThat(bound.holdBack(large)).isTrue();
        assertThat(bound.holdBack(small)).isTrue();
        RingFrameIn other = write(8);
        assertThat(ring.released()).as("behind the barrier").isZero();

        ring.moveOut(barrier);
        barrier.releaseBytes();
        assertThat(ring.released()).isEqualTo(barrier.end);
        RingFrameIn next = write(8);
        assertThat(ring.released()).as("space is scarce").isEqualTo(large.end);
        assertThat(ring.use.movedBytes).hasValue(8 + RING_BYTES / 2);

        other.releaseBytes();
        next.releaseBytes();
        for (int i = 0; i < CREDITS / 2; i++) {
            write(8).releaseBytes();
        }
        assertThat(ring.released()).as("credits are scarce").isGreaterThan(next.end);
        ring.onAnswered(barrier);
        bound.liftBarrier(barrier, new ArrayDeque<>());
        assertThat(bound.holdBack(large)).isFalse();
    }

    /** Requests that wait for a follower take nothing from others, in any order of their answers. */
    @Test
    void shouldLendEachCreditAgainOnceItsRequestIsHandled() {
        ArrayDeque<RingFrameIn> waiting = new ArrayDeque<>();
        for (int i = 0; i < RingFrame.mostUnanswered(CREDITS); i++) {
            RingFrameIn frame = write(8);
            frame.releaseBytes();
            writer.release(ring.released());
            waiting.add(frame);
        }
        assertThat(ring.use.requests).hasValue(0);
        assertThat(ring.use.waiting).hasValue(RingFrame.mostUnanswered(CREDITS));
        assertThatThrownBy(() -> write(8))
                .isInstanceOf(IllegalFrameException.class)
                .hasMessageContaining("requests unanswered");

        waiting.forEach(ring::onAnswered);

        assertThat(ring.use.requests).hasValue(0);
        assertThat(ring.use.waiting).hasValue(0);
        assertThat(ring.isDrained()).isTrue();
    }

    /** A writer that is told nothing would believe that the ring is full. */
    @Test
    void shouldAskForAFrameOfItsOwnWhenMuchIsReleased() {
        write(8).releaseBytes();
        assertThat(ring.isUnpublished()).isTrue();
        assertThat(ring.isMuchUnpublished()).as("little").isFalse();
        ring.onPublished();
        assertThat(ring.isUnpublished()).isFalse();

        write(RING_BYTES / 4).releaseBytes();
        assertThat(ring.isMuchUnpublished()).as("a quarter of the ring").isTrue();
        ring.onPublished();

        for (int i = 0; i <= CREDITS / 4; i++) {
            write(8).releaseBytes();
        }
        assertThat(ring.isMuchUnpublished()).as("a quarter of the credits").isTrue();
    }

    @Test
    void shouldTakeAsManyRequestsAsThereAreCredits() {
        RingFrameIn first = write(8);
        for (int i = 1; i < CREDITS; i++) {
            write(8);
        }
        release(first);
        write(8);
        assertThatThrownBy(() -> write(8))
                .isInstanceOf(IllegalFrameException.class)
                .hasMessageContaining("requests unhandled");
    }

    /**
     * No flag is defined for requests: flags of replies have no meaning in a request, and flags of earlier releases
     * stay reserved.
     */
    @Test
    void shouldRefuseARequestWithFlags() {
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            int flag = 1 << bit;
            RingFrame.encodeHeader(memory, 0, flag, 0, 1, 64, 0);
            assertThatThrownBy(() -> ring.take(null, 0))
                    .isInstanceOf(IllegalFrameException.class)
                    .hasMessageContaining("flags " + Integer.toHexString(flag));
        }
    }

    @Test
    void shouldRefuseAFrameThatOverwritesAnUnreleasedOne() {
        write(2048);
        write(1024);
        // A writer that treats the whole ring as released.
        writer.release(writer.head());
        assertThatThrownBy(() -> write(2048))
                .isInstanceOf(IllegalFrameException.class)
                .hasMessageContaining("overwrites unreleased");
    }

    /** After a frame is taken the writer changes all bytes that it can write, several times. */
    @Test
    void shouldLeaveRequestsAsTheyWereTaken() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("RequestRingReaderTest seed " + seed);
        Random random = new Random(seed);
        ArrayDeque<RingFrameIn> held = new ArrayDeque<>();
        ArrayDeque<byte[]> sent = new ArrayDeque<>();
        session = bound;
        for (int round = 0; round < 20_000; round++) {
            byte[] payload = new byte[random.nextInt(random.nextBoolean() ? 200 : RING_BYTES - RingFrame.HEADER_BYTES)];
            random.nextBytes(payload);
            RingFrameIn frame = held.size() == CREDITS ? null : tryWrite(payload);
            scribble(random);
            if (frame != null) {
                held.add(frame);
                sent.add(payload);
            }
            if (!held.isEmpty() && (frame == null || random.nextInt(3) == 0)) {
                RingFrameIn done = held.poll();
                assertThat(done.payload()).isEqualTo(ByteBuffer.wrap(sent.poll()));
                release(done);
            }
        }
    }

    /** No length, sequence or immediate data of a writer leads outside of the ring. */
    @Test
    void shouldRefuseAnyFrameThatACorrectWriterDoesNotWrite() {
        int[] lengths = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, RING_BYTES, RING_BYTES - RingFrame.HEADER_BYTES + 1};
        for (int length : lengths) {
            RingFrame.encodeHeader(memory, 0, 0, 0, 1, length, 0);
            assertThatThrownBy(() -> ring.take(null, 0))
                    .isInstanceOf(IllegalFrameException.class)
                    .hasMessageContaining("bytes does not belong");
        }
        for (long unexpected : new long[] {-1, 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            RingFrame.encodeHeader(memory, 0, 0, unexpected, 1, 64, 0);
            assertThatThrownBy(() -> ring.take(null, 0))
                    .isInstanceOf(IllegalFrameException.class)
                    .hasMessageContaining("sequence");
        }
        RingFrame.encodeHeader(memory, 0, 0, 0, 1, 64, 0);
        for (int imm : new int[] {-1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, RING_BYTES}) {
            assertThatThrownBy(() -> ring.take(null, imm))
                    .isInstanceOf(IllegalFrameException.class)
                    .hasMessageContaining("immediate data");
        }
        memory.putInt(RingFrame.MAGIC_OFFSET, 0);
        assertThatThrownBy(() -> ring.take(null, 0))
                .isInstanceOf(IllegalFrameException.class)
                .hasMessageContaining("magic");
    }

    private void scribble(Random random) {
        byte[] garbage = new byte[RING_BYTES];
        random.nextBytes(garbage);
        memory.put(0, garbage);
    }

    private RingFrameIn tryWrite(byte[] payload) {
        long start = writer.tryClaim(RingFrame.frameBytes(payload.length));
        if (start < 0) {
            return null;
        }
        int offset = (int) (start & (RING_BYTES - 1));
        RingFrame.encodeHeader(memory, offset, 0, sequence++, 1, payload.length, 0);
        memory.put(offset + RingFrame.HEADER_BYTES, payload);
        return ring.take(null, RingFrame.immOf(start));
    }

    private RingFrameIn write(int payloadBytes) {
        RingFrameIn frame = tryWrite(payloadBytes);
        assertThat(frame).as("room for %d bytes", payloadBytes).isNotNull();
        return frame;
    }

    private RingFrameIn tryWrite(int payloadBytes) {
        long start = writer.tryClaim(RingFrame.frameBytes(payloadBytes));
        if (start < 0) {
            return null;
        }
        RingFrame.encodeHeader(memory, (int) (start & (RING_BYTES - 1)), 0, sequence++, 1, payloadBytes, 0);
        return ring.take(null, RingFrame.immOf(start));
    }

    private void release(RingFrameIn frame) {
        ring.onAnswered(frame);
        frame.releaseBytes();
        writer.release(ring.released());
    }
}
