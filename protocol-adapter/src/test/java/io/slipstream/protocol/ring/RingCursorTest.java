// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RingCursorTest {
    @Test
    void shouldAcceptOnlyTheTwoPlacesWhereAFrameMayStart() {
        RingCursor cursor = new RingCursor(256);
        assertThat(cursor.startOf(0)).isZero();
        assertThat(cursor.startOf(4)).as("a lap ahead of a lap's begin").isEqualTo(-1);
        assertThat(cursor.advance(0, 100)).isTrue();
        assertThat(cursor.position()).isEqualTo(192);
        for (int imm = -8; imm < 16; imm++) {
            long expected = imm == 3 ? 192 : imm == 4 ? 256 : -1;
            assertThat(cursor.startOf(imm)).isEqualTo(expected);
        }
        assertThat(cursor.startOf(RingFrame.IMM_SLOT_DOORBELL | 3)).isEqualTo(-1);
    }

    @Test
    void shouldRefuseLengthsThatDoNotBelongToThatStart() {
        RingCursor cursor = new RingCursor(256);
        cursor.advance(0, 100);
        assertThat(cursor.advance(192, 33)).as("would straddle the end").isFalse();
        assertThat(cursor.advance(256, 32))
                .as("would have fitted before the end")
                .isFalse();
        for (int payload : new int[] {-1, 225, Integer.MAX_VALUE, Integer.MAX_VALUE - 31, Integer.MIN_VALUE}) {
            assertThat(cursor.advance(192, payload)).isFalse();
            assertThat(cursor.advance(256, payload)).isFalse();
        }
        assertThat(cursor.position()).isEqualTo(192);
        assertThat(cursor.advance(256, 224)).isTrue();
        assertThat(cursor.position()).isEqualTo(512);
    }

    @Test
    void shouldFollowImmediateDataThroughItsWrap() {
        // A ring of 1 GiB filled by whole-ring frames comes to the wrap of 31 bits of 64-byte units (128 GiB) in 128
        // laps.
        int ringBytes = 1 << 30;
        RingSpace space = new RingSpace(ringBytes);
        RingCursor cursor = new RingCursor(ringBytes);
        boolean wrapped = false;
        for (int i = 0; i < 300; i++) {
            int payload = ringBytes - RingFrame.HEADER_BYTES - (i % 3) * 64;
            long start = space.tryClaim(RingFrame.frameBytes(payload));
            int imm = RingFrame.immOf(start);
            wrapped |= start >>> 6 > Integer.MAX_VALUE;
            assertThat(imm).isNotNegative();
            assertThat(cursor.startOf(imm)).isEqualTo(start);
            assertThat(cursor.advance(start, payload)).isTrue();
            assertThat(space.release(cursor.position())).isTrue();
        }
        assertThat(wrapped).isTrue();
    }
}
