// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.settings.TransportSettings;
import org.junit.jupiter.api.Test;

class AdaptiveSpinTest {
    private static final long MOST_NS = TransportSettings.SPIN_NS;

    @Test
    void shouldSpinAsLongAsItPaysAndTryAgainAfterARest() {
        AdaptiveSpin spin = new AdaptiveSpin(MOST_NS);
        assertThat(spin.limitNs()).isEqualTo(MOST_NS).isEqualTo(20_000);
        spin.polled(false);
        assertThat(spin.limitNs()).isEqualTo(MOST_NS / 2);
        spin.polled(true);
        assertThat(spin.limitNs()).isEqualTo(MOST_NS);
        spin.polled(true);
        assertThat(spin.limitNs()).as("the largest limit").isEqualTo(MOST_NS);
        int fruitless = 0;
        while (spin.limitNs() > 0) {
            spin.polled(false);
            assertThat(++fruitless).isLessThan(10);
        }
        for (int i = 1; i < AdaptiveSpin.REST; i++) {
            assertThat(spin.limitNs()).isZero();
        }
        assertThat(spin.limitNs()).isPositive();
    }

    @Test
    void shouldNeverSpinWithALimitOfZero() {
        AdaptiveSpin spin = new AdaptiveSpin(0);
        for (int i = 0; i < 3 * AdaptiveSpin.REST; i++) {
            assertThat(spin.limitNs()).isZero();
        }
    }
}
