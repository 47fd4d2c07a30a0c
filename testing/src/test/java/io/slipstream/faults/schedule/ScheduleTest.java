// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long LENGTH_MS = 40_000;
    private static final int SEEDS = 3_000;

    private static Stream<Schedule> schedules() {
        return LongStream.range(0, SEEDS).mapToObj(seed -> Schedule.of(seed, LENGTH_MS));
    }

    private static Stream<Fault> faults(Schedule schedule) {
        return schedule.episodes().stream()
                .flatMap(episode -> episode.faults().stream())
                .map(Episode.Timed::fault);
    }

    @Test
    void shouldDrawTheSameFromTheSameSeed() {
        assertThat(Schedule.of(42, LENGTH_MS)).isEqualTo(Schedule.of(42, LENGTH_MS));
        assertThat(Schedule.of(42, LENGTH_MS)).isNotEqualTo(Schedule.of(43, LENGTH_MS));
    }

    @Test
    void shouldBeginALongScheduleWithTheShortOneOfTheSameSeed() {
        for (long seed = 0; seed < 100; seed++) {
            List<Episode> shorter = Schedule.of(seed, 10_000).episodes();
            assertThat(Schedule.of(seed, LENGTH_MS).episodes().subList(0, shorter.size()))
                    .isEqualTo(shorter);
        }
    }

    @Test
    void shouldDrawEveryClassInBothTopologiesThatItFits() {
        Map<FaultClass, Set<Integer>> brokers = new EnumMap<>(FaultClass.class);
        schedules()
                .forEach(schedule -> faults(schedule)
                        .forEach(fault -> brokers.computeIfAbsent(fault.faultClass(), unused -> new HashSet<>())
                                .add(schedule.topology().brokers())));

        assertThat(brokers.keySet()).isEqualTo(EnumSet.allOf(FaultClass.class));
        assertThat(brokers.get(FaultClass.REASSIGNMENT)).containsExactly(3);
        assertThat(brokers.get(FaultClass.BROKER_KILL)).containsExactlyInAnyOrder(1, 3);
    }

    @Test
    void shouldDrawNoneButTheClassesAskedForInATopologyThatTheyFit() {
        Set<FaultClass> classes = EnumSet.of(FaultClass.REASSIGNMENT, FaultClass.BROKER_RESTART);
        Set<FaultClass> drawn = EnumSet.noneOf(FaultClass.class);
        for (long seed = 0; seed < 100; seed++) {
            faults(Schedule.of(seed, LENGTH_MS, classes)).map(Fault::faultClass).forEach(drawn::add);
            Schedule replicated = Schedule.of(seed, LENGTH_MS, EnumSet.of(FaultClass.REASSIGNMENT));
            assertThat(replicated.topology().brokers()).isEqualTo(3);
        }
        assertThat(drawn).isEqualTo(classes);
    }

    @Test
    void shouldNameOnlyProcessesThatThereAre() {
        schedules()
                .forEach(schedule -> faults(schedule)
                        .filter(Fault.ProcessFault.class::isInstance)
                        .map(Fault.ProcessFault.class::cast)
                        .forEach(fault -> assertThat(fault.index())
                                .isBetween(0, schedule.topology().count(fault.role()) - 1)));
    }

    @Test
    void shouldOverlapInAThirdOfTheSeeds() {
        long overlapping = schedules().filter(Schedule::overlapping).count();

        assertThat(overlapping).isBetween(SEEDS * 3L / 10, SEEDS * 37L / 100);
        schedules()
                .filter(schedule -> !schedule.overlapping())
                .forEach(schedule -> assertThat(schedule.episodes()).allMatch(Episode::isSingle));
    }

    @Test
    void shouldStrikeWhileTheFirstFaultOfAnEpisodeLastsOrClientsRecoverFromIt() {
        schedules()
                .flatMap(schedule -> schedule.episodes().stream())
                .forEach(episode -> assertThat(episode.faults())
                        .allMatch(timed ->
                                timed.delayMs() <= episode.faults().get(0).endMs() + 300));
    }

    @Test
    void shouldPauseFromBelowALeaseToBeyondSessions() {
        List<Long> holdsMs = schedules()
                .flatMap(ScheduleTest::faults)
                .filter(Fault.Pause.class::isInstance)
                .map(Fault::holdMs)
                .toList();

        assertThat(holdsMs).allMatch(holdMs -> holdMs >= 100 && holdMs <= 7_000);
        assertThat(holdsMs).anyMatch(holdMs -> holdMs < 150).anyMatch(holdMs -> holdMs > 6_000);
    }

    @Test
    void shouldDrawAtLeastOneFaultHoweverShortTheRun() {
        assertThat(Schedule.of(7, 1).faultCount()).isPositive();
    }
}
