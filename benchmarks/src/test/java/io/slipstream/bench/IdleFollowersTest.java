// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class IdleFollowersTest {
    @Test
    void shouldJudgeTheBrokerThatGainsLeast() {
        assertThat(IdleFollowers.highestShare(new double[] {0.01, 0.03, 0.02}, new double[] {0.04, 0.04, 0.04}))
                .isEqualTo(0.75);
    }
}
