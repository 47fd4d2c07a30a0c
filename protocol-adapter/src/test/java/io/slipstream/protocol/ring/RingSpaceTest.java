// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.protocol.Seeds;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RingSpaceTest {
    /** Position and length of a written frame. */
    private record Frame(long start, int payloadBytes) {
        long end() {
            return start + RingFrame.frameBytes(payloadBytes);
        }
    }

    @Test
    void shouldNeverOverwriteUnreleasedBytesNorStraddleTheEndAndKeepReaderAndWriterInStep() {
        Random random = Seeds.random("RingSpaceTest");
        for (int ringBytes = 64; ringBytes <= 4096; ringBytes *= 2) {
            for (int round = 0; round < 20; round++) {
                run(random, ringBytes, 2_000);
            }
        }
    }

    private static void run(Random random, int ringBytes, int steps) {
        RingSpace space = new RingSpace(ringBytes);
        RingCursor cursor = new RingCursor(ringBytes);
        byte[] owner = new byte[ringBytes / 64]; // 1 where an unreleased frame lies
        ArrayDeque<Frame> unread = new ArrayDeque<>();
        ArrayDeque<Frame> unreleased = new ArrayDeque<>();
        int claimed = 0;
        for (int i = 0; i < steps; i++) {
            int payload = random.nextInt(ringBytes - RingFrame.HEADER_BYTES + 1);
            int frameBytes = RingFrame.frameBytes(payload);
            long start = space.tryClaim(frameBytes);
            if (start >= 0) {
                claimed++;
                int offset = (int) (start % ringBytes);
                assertThat(offset + frameBytes).isLessThanOrEqualTo(ringBytes);
                for (int block = 0; block < frameBytes / 64; block++) {
                    assertThat(owner[offset / 64 + block]).isZero();
                    owner[offset / 64 + block] = 1;
                }
                unread.add(new Frame(start, payload));
            } else {
                assertThat(unreleased.size() + unread.size())
                        .as("an empty ring takes any frame")
                        .isPositive();
            }
            if (!unread.isEmpty() && (start < 0 || random.nextBoolean())) {
                Frame frame = unread.remove();
                assertThat(cursor.startOf(RingFrame.immOf(frame.start))).isEqualTo(frame.start);
                assertThat(cursor.advance(frame.start, frame.payloadBytes)).isTrue();
                assertThat(cursor.position()).isEqualTo(frame.end());
                unreleased.add(frame);
            }
            if (!unreleased.isEmpty() && (start < 0 || random.nextInt(3) == 0)) {
                Frame frame = unreleased.remove();
                int offset = (int) (frame.start % ringBytes);
                for (int block = 0; block < RingFrame.frameBytes(frame.payloadBytes) / 64; block++) {
                    owner[offset / 64 + block] = 0;
                }
                assertThat(space.release(frame.end())).isTrue();
            }
        }
        assertThat(claimed).isGreaterThan(steps / 8);
    }

    @Test
    void shouldTakeEveryFrameSizeAtEveryResidueOnceEmpty() {
        int ringBytes = 512;
        for (int residue = 0; residue < ringBytes; residue += 64) {
            for (int frameBytes = 64; frameBytes <= ringBytes; frameBytes += 64) {
                RingSpace space = new RingSpace(ringBytes);
                for (int i = 0; i < residue; i += 64) {
                    space.release(space.tryClaim(64) + 64);
                }
                long start = space.tryClaim(frameBytes);
                assertThat(start).isEqualTo(RingFrame.startOf(residue, frameBytes, ringBytes));
                assertThat(space.usedBytes()).isEqualTo(frameBytes);
            }
        }
    }

    @Test
    void shouldRefuseReleasesBeyondTheHeadAndIgnoreOldOnes() {
        RingSpace space = new RingSpace(256);
        space.tryClaim(128);
        space.tryClaim(64);
        assertThat(space.release(193)).isFalse();
        assertThat(space.release(Long.MAX_VALUE)).isFalse();
        assertThat(space.release(192)).isTrue();
        assertThat(space.release(64)).isTrue();
        assertThat(space.release(-5)).isTrue();
        assertThat(space.released()).isEqualTo(192);
    }

    @Test
    void shouldRefuseFramesThatCanNeverFitAndRingsThatAreNotPowersOfTwo() {
        RingSpace space = new RingSpace(128);
        for (int frameBytes : new int[] {192, 0, -64, 65, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> space.tryClaim(frameBytes)).isInstanceOf(IllegalArgumentException.class);
        }
        for (int ringBytes : new int[] {0, 32, 96, -64, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> new RingSpace(ringBytes)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new RingCursor(ringBytes)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
