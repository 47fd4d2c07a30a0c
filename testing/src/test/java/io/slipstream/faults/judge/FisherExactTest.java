// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FisherExactTest {
    @Test
    void shouldKnowPublishedValues() {
        // Fisher's tea: 3 of 4 and 1 of 4.
        assertThat(FisherExact.pValue(3, 4, 1, 4)).isCloseTo(17.0 / 70, within(1e-9));
        assertThat(FisherExact.pValue(4, 4, 0, 4)).isCloseTo(1.0 / 70, within(1e-9));
        assertThat(FisherExact.pValue(5, 20, 0, 20)).isCloseTo(0.0236, within(1e-4));
        assertThat(FisherExact.pValue(0, 20, 5, 20)).isCloseTo(1, within(1e-9));
        assertThat(FisherExact.pValue(0, 0, 0, 0)).isEqualTo(1);
    }

    @Test
    void shouldRefuseMoreHitsThanTrials() {
        assertThatThrownBy(() -> FisherExact.pValue(2, 1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
