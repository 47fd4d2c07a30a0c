// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A ring that is empty beyond its first pages begins its next lap there, so that the other pages stay untouched. */
class RingRestartTest {
    private static final int RING_BYTES = 1 << 20;
    private static final int FRAME_BYTES = 1024;
    private static final int PAYLOAD_BYTES = FRAME_BYTES - RingFrame.HEADER_BYTES;

    private final RingSpace space = new RingSpace(RING_BYTES);
    private final RingCursor cursor = new RingCursor(RING_BYTES);

    @Test
    void shouldStayInItsFirstPagesAsLongAsItIsEmptyThere() {
        space.restartWhenEmpty();
        int restarts = 0;
        for (int i = 0; i < 1000; i++) {
            long end = passOn();
            restarts += cursor.hasRestarted ? 1 : 0;
            assertThat(space.release(end)).isTrue();
            assertThat(offset(end)).isLessThanOrEqualTo(RingFrame.RESTART_BYTES);
        }
        assertThat(restarts).isEqualTo(999 / (RingFrame.RESTART_BYTES / FRAME_BYTES));
    }

    @Test
    void shouldGrowWhileFramesAreInFlight() {
        space.restartWhenEmpty();
        long before = passOn();
        for (int i = 0; i < 200; i++) {
            long end = passOn();
            assertThat(cursor.hasRestarted).isFalse();
            assertThat(space.release(before)).isTrue();
            before = end;
        }
        assertThat(offset(before)).isEqualTo(201 * FRAME_BYTES);
    }

    @Test
    void shouldNotRestartBeforeTheReaderIsKnownToAcceptIt() {
        for (int i = 0; i < 200; i++) {
            assertThat(space.release(passOn())).isTrue();
            assertThat(cursor.hasRestarted).isFalse();
        }
        assertThat(offset(space.head())).isEqualTo(200 * FRAME_BYTES);
    }

    @Test
    void shouldRefuseALapThatBeginsEarlierThanAWriterMay() {
        for (int used = FRAME_BYTES; used < RingFrame.RESTART_BYTES; used += FRAME_BYTES) {
            space.release(passOn());
            assertThat(cursor.advance(RING_BYTES, PAYLOAD_BYTES))
                    .as("after %d bytes", used)
                    .isFalse();
        }
        space.release(passOn());
        assertThat(cursor.advance(RING_BYTES, PAYLOAD_BYTES)).isTrue();
    }

    /** Writes a frame and reads it. Returns its end. */
    private long passOn() {
        long start = space.tryClaim(FRAME_BYTES);
        assertThat(cursor.startOf(RingFrame.immOf(start))).isEqualTo(start);
        assertThat(cursor.advance(start, PAYLOAD_BYTES)).isTrue();
        return cursor.position();
    }

    private static int offset(long position) {
        return (int) (position & (RING_BYTES - 1));
    }
}
