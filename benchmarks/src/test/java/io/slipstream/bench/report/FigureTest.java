// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FigureTest {
    @Test
    void shouldTakeTheMedianOfRounds() {
        assertThat(Figure.ofRounds(new double[] {0.3, 0.1, 0.2})).isEqualTo(new Figure(0.2, 0.1, 0.3));
        assertThat(Figure.ofRounds(new double[] {4, 1, 2, 3})).isEqualTo(new Figure(2.5, 1, 4));
        assertThat(Figure.ofRounds(new double[] {7})).isEqualTo(Figure.of(7));
    }

    @Test
    void shouldTellHowFarTheExtremesCanBeTrusted() {
        assertThat(Figure.confidence(1)).isZero();
        assertThat(Figure.confidence(6)).isEqualTo(0.96875);
    }

    @Test
    void shouldShowThreeDigits() {
        assertThat(Figure.number(0.01234)).isEqualTo("0.012");
        assertThat(Figure.number(1.2345)).isEqualTo("1.23");
        assertThat(Figure.number(12.345)).isEqualTo("12.3");
        assertThat(Figure.number(123_456.7)).isEqualTo("123457");
        assertThat(Figure.number(-5.678)).isEqualTo("-5.68");
        assertThat(new Figure(0.5, 0.25, 0.75).text(true)).isEqualTo("50.0 % (25.0 to 75.0)");
    }
}
