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
    void shouldHaveAWholeBurstDueAtOnce() {
        Schedule schedule = Schedule.bursts(10, SECOND_NS / 2);

        assertThat(schedule.dueNs(9)).isZero();
        assertThat(schedule.dueNs(10)).isEqualTo(SECOND_NS / 2);
        assertThat(schedule.dueNs(29)).isEqualTo(SECOND_NS);
        assertThat(schedule.before(SECOND_NS)).isEqualTo(20);
        assertThat(schedule.before(SECOND_NS + 1)).isEqualTo(30);
    }
}
