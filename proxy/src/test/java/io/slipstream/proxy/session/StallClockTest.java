// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StallClockTest {
    private final StallClock clock = new StallClock();

    private boolean isStalled(long waitingBytes, long takenBytes, long nowNs) {
        return clock.isStalled(waitingBytes, takenBytes, nowNs, 10);
    }

    @Test
    void shouldFindAClientThatTakesNothing() {
        assertThat(isStalled(100, 5, 1)).isFalse();
        assertThat(isStalled(100, 5, 11)).isFalse();
        assertThat(isStalled(100, 5, 12)).isTrue();
    }

    @Test
    void shouldCountFromTheLastByteTaken() {
        assertThat(isStalled(100, 5, 1)).isFalse();
        assertThat(isStalled(100, 6, 11)).isFalse();
        assertThat(isStalled(100, 6, 21)).isFalse();
        assertThat(isStalled(60, 6, 22)).isFalse();
        assertThat(isStalled(60, 6, 32)).isFalse();
        assertThat(isStalled(60, 6, 33)).isTrue();
    }

    @Test
    void shouldNotCountWhileNothingWaits() {
        assertThat(isStalled(0, 0, 1)).isFalse();
        assertThat(isStalled(0, 0, 100)).isFalse();
        assertThat(isStalled(100, 0, 101)).isFalse();
        assertThat(isStalled(100, 0, 111)).isFalse();
    }
}
