// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.it.Thorough;
import io.slipstream.simulation.PlantedSeeds;
import io.slipstream.simulation.Scenario;
import io.slipstream.simulation.Shrinking;
import io.slipstream.simulation.Simulation;
import io.slipstream.simulation.Surroundings;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The simulation against bugs on purpose: random seeds must find each of them. A build takes half of the bugs, by its
 * seed; {@code -Pthorough} takes all.
 */
class PlantedBugsTest {
    /** Twenty times the mean number of seeds that the rarest of {@link PlantedBugs#COMMON} needs. */
    private static final int MOST_SEEDS = 3_000;

    private static final long FIRST_SEED = Seed.ofRun() << 20;

    @Test
    void shouldCatchEachCommonBugWithRandomSeeds() {
        List<String> missed = new ArrayList<>();
        List<String> report = new ArrayList<>();
        Random random = new Random(Seed.ofRun());
        List<PlantedBug> drawn = PlantedBugs.COMMON.stream()
                .filter(bug -> random.nextBoolean() || Thorough.isAsked())
                .toList();
        for (PlantedBug bug : drawn) {
            PlantedSeeds.Found found = PlantedSeeds.measure(bug, FIRST_SEED, 1, MOST_SEEDS);
            if (found.found() == 0) {
                missed.add(bug.name());
            }
            report.add("%-28s %-60s %4d seeds, %s"
                    .formatted(
                            bug.name(),
                            bug.breaks(),
                            found.seeds(),
                            found.alarms().keySet()));
        }
        report.forEach(System.out::println);

        assertThat(missed).as("planted bugs that no seed found").isEmpty();
        assertThat(PlantedBugs.COMMON).hasSizeGreaterThanOrEqualTo(30);
    }

    @Test
    void shouldNameRareBugsThatExist() {
        assertThat(PlantedBugs.RARE)
                .allSatisfy(name -> assertThat(PlantedBugs.named(name)).isNotNull());
        assertThat(PlantedBugs.COMMON.size() + PlantedBugs.RARE.size()).isEqualTo(PlantedBugs.ALL.size());
    }

    @Test
    void shouldLeaveNothingBehind() {
        Instrumentation instrumentation = Surroundings.install();
        try (Planting planting = Planting.of(PlantedBugs.named("short-reply"), instrumentation)) {
            assertThat(planting.bug().breaks()).isNotEmpty();
            assertThat(PlantedSeeds.firstFailing(FIRST_SEED, MOST_SEEDS)).isNotNull();
        }
        assertThat(Simulation.run(Scenario.of(FIRST_SEED), false).violation()).isNull();
    }

    @Test
    void shouldShrinkWhatFails() {
        shrinkWhatFails(FIRST_SEED);
        // Two producers that were halved to a batch each failed only together.
        shrinkWhatFails(3745326130L << 20);
    }

    private static void shrinkWhatFails(long firstSeed) {
        Instrumentation instrumentation = Surroundings.install();
        try (Planting planting = Planting.of(PlantedBugs.named("short-reply"), instrumentation)) {
            Scenario scenario = PlantedSeeds.firstFailing(firstSeed, MOST_SEEDS);
            // Of 60 seeds, 4 need a fault or a second client as well.
            while (!Shrinking.failsAlone(scenario)) {
                scenario = PlantedSeeds.firstFailing(scenario.seed() + 1, MOST_SEEDS);
            }
            Scenario smallest = Shrinking.shrink(scenario);

            assertThat(planting.isWoven()).isTrue();
            assertThat(smallest.faults()).isEmpty();
            assertThat(smallest.consumers()).isEmpty();
            assertThat(smallest.producers()).hasSize(1);
            assertThat(Simulation.run(smallest, false).violation()).isNotNull();
        }
    }
}
