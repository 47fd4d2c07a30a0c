package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.ring.RingSpace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestRingTest {
    private static final int RING_BYTES = 4096;
    private static final int CREDITS = 64;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(RING_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final RequestRing ring = new RequestRing(memory, CREDITS, id -> null);
    private final RingSpace writer = new RingSpace(RING_BYTES);
    private long sequence;

    /** A writer whose ring is empty may skip to the next lap; a second frame behind that one overwrites nothing. */
    @Test
    void shouldTakeASecondFrameBehindOneThatSkippedToTheNextLap() {
        release(write(1024 - RingFrame.HEADER_BYTES));
        LandedFrame skipped = write(RING_BYTES - 1024);
        LandedFrame second = write(64);
        assertThat(skipped.start()).isEqualTo(RING_BYTES);
        assertThat(second.start()).isEqualTo(skipped.end());
    }

    @Test
    void shouldTakeWhateverACorrectWriterWrites() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("RequestRingTest seed " + seed);
        Random random = new Random(seed);
        ArrayDeque<LandedFrame> held = new ArrayDeque<>();
        for (int round = 0; round < 200_000; round++) {
            int payloadBytes = random.nextInt(random.nextBoolean() ? 200 : RING_BYTES - RingFrame.HEADER_BYTES + 1);
            LandedFrame frame = held.size() == CREDITS ? null : tryWrite(payloadBytes);
            if (frame != null) {
                held.add(frame);
            }
            if (frame == null || random.nextInt(3) == 0) {
                LandedFrame done = held.poll();
                if (done != null) {
                    release(done);
                }
            }
        }
    }

    @Test
    void shouldRefuseAFrameThatOverwritesAnUnreleasedOne() {
        write(2048);
        write(1024);
        // A writer that believes everything was released.
        writer.release(writer.head());
        assertThatThrownBy(() -> write(2048))
                .isInstanceOf(IllegalFrameException.class)
                .hasMessageContaining("overwrites unreleased");
    }

    private LandedFrame write(int payloadBytes) {
        LandedFrame frame = tryWrite(payloadBytes);
        assertThat(frame).as("room for %d bytes", payloadBytes).isNotNull();
        return frame;
    }

    private LandedFrame tryWrite(int payloadBytes) {
        long start = writer.tryClaim(RingFrame.frameBytes(payloadBytes));
        if (start < 0) {
            return null;
        }
        RingFrame.encodeHeader(memory, (int) (start & (RING_BYTES - 1)), 0, sequence++, 1, payloadBytes, 0);
        return ring.take(null, RingFrame.immOf(start));
    }

    private void release(LandedFrame frame) {
        ring.onAnswered(frame);
        frame.releaseBytes();
        writer.release(ring.released());
    }
}
