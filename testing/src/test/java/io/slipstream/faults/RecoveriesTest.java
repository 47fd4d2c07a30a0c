// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecoveriesTest {
    private final Recoveries recoveries = new Recoveries();
    private final Recoveries.Acknowledgements probe = recoveries.probe();

    @Test
    void shouldTakeTheFirstAcknowledgementAfterAReturn() {
        recoveries.begin(true);
        recoveries.proxyReturned(0);
        long nowNs = System.nanoTime();
        probe.acknowledged(nowNs - 5_000_000_000L, nowNs + 1_000_000_000L);
        probe.acknowledged(nowNs, nowNs + 2_000_000_000L);

        assertThat(recoveries.afterReturnNs())
                .singleElement()
                .satisfies(time -> assertThat(time).isBetween(1_000_000_000L, 1_900_000_000L));
    }

    @Test
    void shouldNotTakeAnAnswerToWhatWasSentBeforeTheLoss() {
        recoveries.begin(true);
        long beforeNs = System.nanoTime();
        recoveries.linkLost(0);
        probe.acknowledged(beforeNs - 1, System.nanoTime());
        assertThat(recoveries.afterLossNs()).isEmpty();

        long laterNs = System.nanoTime();
        probe.acknowledged(laterNs, laterNs + 30_000_000L);
        assertThat(recoveries.afterLossNs()).hasSize(1).allMatch(time -> time >= 30_000_000L);
    }

    @Test
    void shouldMeasureNothingWhileFaultsOverlap() {
        recoveries.begin(false);
        recoveries.proxyReturned(0);
        recoveries.linkLost(0);
        probe.acknowledged(System.nanoTime(), System.nanoTime());

        assertThat(recoveries.afterReturnNs()).isEmpty();
        assertThat(recoveries.afterLossNs()).isEmpty();
    }
}
