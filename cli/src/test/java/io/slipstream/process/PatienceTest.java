// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatienceTest {
    @Test
    void shouldBeOneUnlessSet() {
        assertThat(Patience.factor(null)).isEqualTo(1);
        assertThat(Patience.factor(" ")).isEqualTo(1);
        assertThat(Patience.factor("8")).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "101", "fast", "1.5"})
    void shouldRefuseWhatIsNoFactorByTheVariablesName(String text) {
        assertThatThrownBy(() -> Patience.factor(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SLIPSTREAM_PATIENCE=" + text);
    }
}
