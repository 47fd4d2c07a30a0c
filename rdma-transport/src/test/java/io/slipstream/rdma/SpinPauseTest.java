// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpinPauseTest {
    private long nowNs = Long.MAX_VALUE;
    /** How long other threads keep the processor. */
    private long othersNs;

    private int yields;
    private final SpinPause pause = new SpinPause(() -> nowNs, () -> {
        yields++;
        nowNs += othersNs;
    });

    private void pause(int times) {
        for (int i = 0; i < times; i++) {
            pause.pause();
        }
    }

    @Test
    void shouldLetOtherThreadsRunEachTime() {
        othersNs = SpinPause.LONG_YIELD_NS;
        pause(10_000);
        assertThat(yields).isEqualTo(10_000);
    }

    @Test
    void shouldSeldomWaitForATimeSlice() {
        othersNs = SpinPause.LONG_YIELD_NS + 1;
        pause(1 + SpinPause.SHORT_PAUSES);
        assertThat(yields).isEqualTo(1);
        pause(1 + SpinPause.SHORT_PAUSES);
        assertThat(yields).isEqualTo(2);
        othersNs = 0;
        pause(10);
        assertThat(yields).as("once the machine is no longer busy").isEqualTo(12);
    }
}
