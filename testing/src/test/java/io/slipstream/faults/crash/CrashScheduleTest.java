// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CrashScheduleTest {
    private static final Set<Victim> ALL = EnumSet.allOf(Victim.class);

    @Test
    void shouldBeTheSameForTheSameSeed() {
        assertThat(CrashSchedule.of(42, 10, ALL)).isEqualTo(CrashSchedule.of(42, 10, ALL));
        assertThat(CrashSchedule.of(42, 10, ALL)).isNotEqualTo(CrashSchedule.of(43, 10, ALL));
    }

    @Test
    void shouldBeginALongerScheduleWithTheShorterOne() {
        assertThat(CrashSchedule.of(42, 10, ALL).kills())
                .startsWith(CrashSchedule.of(42, 4, ALL).kills().toArray(Kill[]::new));
    }

    @Test
    void shouldStrikeOnlyWhomItMay() {
        List<Kill> kills = CrashSchedule.of(7, 50, EnumSet.of(Victim.PROXY)).kills();

        assertThat(kills).extracting(Kill::victim).containsOnly(Victim.PROXY);
    }

    @Test
    void shouldDrawEveryVictimWarmAndColdAtPeaksAndNotWithOneAndWithTwoProxies() {
        List<CrashSchedule> schedules = LongStream.range(0, 100)
                .mapToObj(seed -> CrashSchedule.of(seed, 10, ALL))
                .toList();

        Set<Object> drawn = schedules.stream()
                .flatMap(schedule -> schedule.kills().stream())
                .map(kill -> List.of(kill.victim(), kill.warm(), kill.atPeak()))
                .collect(Collectors.toSet());
        assertThat(drawn).hasSize(ALL.size() * 2 * 2);
        assertThat(schedules).extracting(CrashSchedule::proxies).contains(1, 2);
        assertThat(schedules)
                .flatExtracting(CrashSchedule::kills)
                .allSatisfy(kill -> assertThat(kill.delayMs()).isBetween(0, 1_500));
    }
}
