// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetDrawTest {
    private static final int BUILDS = 1200;
    private static final int TARGETS = 4;

    @Test
    void shouldDrawEachTargetEquallyOften() {
        Map<Target, Integer> drawn = new HashMap<>();
        for (int seed = 0; seed < BUILDS; seed++) {
            List<Target> targets = Target.draw(seed, TARGETS);
            assertThat(targets).hasSize(TARGETS).doesNotHaveDuplicates();
            targets.forEach(target -> drawn.merge(target, 1, Integer::sum));
        }
        int share = BUILDS * TARGETS / Target.ALL.size();
        assertThat(drawn).hasSize(Target.ALL.size());
        assertThat(drawn.values()).allSatisfy(times -> assertThat(times).isBetween(share * 4 / 5, share * 6 / 5));
    }

    @Test
    void shouldDrawTheSameTargetsForTheSameSeed() {
        assertThat(Target.draw(7, TARGETS)).isEqualTo(Target.draw(7, TARGETS));
    }
}
