// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PairedRatioTest {
    private static final int SEEDS = 2_000;

    /** Ranks of the sign test at 99 %: 2 * P(Binomial(n, 1/2) < rank) <= 1 %. */
    @Test
    void shouldCutAtTheRankOfTheSignTest() {
        assertThat(IntStream.of(1, 7, 8, 10, 11, 12, 14, 15, 20).map(PairedRatio::cut))
                .containsExactly(0, 0, 1, 1, 1, 2, 2, 3, 4);
    }

    @Test
    void shouldTakeTheMedianAndTheRanks() {
        double[] twelve = {9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 100};

        assertThat(PairedRatio.of(twelve)).isEqualTo(new PairedRatio(6.5, 2, 11));
    }

    @Test
    void shouldNotBeCertainOfFewPairs() {
        assertThat(PairedRatio.of(new double[] {2, 2, 2})).isEqualTo(new PairedRatio(2, 0, Double.POSITIVE_INFINITY));
    }

    @Test
    void shouldContainTheTrueMedianAsOftenAsItClaims() {
        long contained = IntStream.range(0, SEEDS)
                .mapToObj(seed -> PairedRatio.of(noise(seed, 12)))
                .filter(ratio -> ratio.lowest() <= 1 && ratio.highest() >= 1)
                .count();

        assertThat((double) contained / SEEDS).isCloseTo(0.994, within(0.006));
    }

    private static double[] noise(int seed, int n) {
        Random random = new Random(seed);
        return IntStream.range(0, n)
                .mapToDouble(i -> Math.exp(0.2 * random.nextGaussian()))
                .toArray();
    }
}
