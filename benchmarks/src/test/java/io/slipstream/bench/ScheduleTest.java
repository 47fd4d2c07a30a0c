// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @Test
    void shouldSpreadAConstantRateEvenly() {
        Schedule schedule = Schedule.constant(4);

        assertThat(schedule.dueNs(0)).isZero();
        assertThat(schedule.dueNs(3)).isEqualTo(SECOND_NS * 3 / 4);
        assertThat(schedule.before(SECOND_NS)).isEqualTo(4);
        assertThat(schedule.before(SECOND_NS + 1)).isEqualTo(5);
        assertThat(schedule.before(0)).isZero();
    }

    @Test
    void shouldNotDriftWhereTheRateDoesNotDivideASecond() {
        assertThat(Schedule.constant(3_000).dueNs(3_000_000L)).isBetween(1_000 * SECOND_NS - 1, 1_000 * SECOND_NS);
    }

    @Test
    void shouldHaveAWholeBurstDueAtOnceAndTheOthersSpread() {
        Schedule schedule = Schedule.bursts(10, 5, SECOND_NS / 2);

        assertThat(schedule.dueNs(9)).isZero();
        assertThat(schedule.dueNs(10)).isZero();
        assertThat(schedule.dueNs(11)).isEqualTo(SECOND_NS / 10);
        assertThat(schedule.dueNs(14)).isEqualTo(SECOND_NS * 4 / 10);
        assertThat(schedule.dueNs(15)).isEqualTo(SECOND_NS / 2);
        assertThat(schedule.dueNs(26)).isEqualTo(SECOND_NS * 6 / 10);
        assertThat(schedule.before(SECOND_NS)).isEqualTo(30);
        assertThat(schedule.before(SECOND_NS + 1)).isEqualTo(41);
        assertThat(schedule.before(SECOND_NS * 12 / 10)).isEqualTo(42);
        assertThat(schedule.before(0)).isZero();
    }
}
