// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.simulation.Scenario;
import io.slipstream.simulation.Shrinking;
import io.slipstream.simulation.Simulation;
import io.slipstream.simulation.Surroundings;
import io.slipstream.simulation.Violation;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The simulation against bugs on purpose: it must find each of them. */
class PlantedBugsTest {
    private static final int MOST_SEEDS = 300;

    /** Where to begin, for bugs that few seeds meet; any other seed would do, later. */
    private static final Map<String, Long> FIRST_SEEDS = Map.ofEntries(
            Map.entry("ring-space-reused-early", 69L),
            Map.entry("frame-released-unhandled", 1300L),
            Map.entry("lost-credit", 10L),
            Map.entry("too-many-credits", 28L),
            Map.entry("reply-position-unpublished", 9L),
            Map.entry("one-staging-place", 10L),
            Map.entry("waiting-overtakes-held-back", 116L),
            Map.entry("doorbell-lost", 52L),
            Map.entry("never-armed", 6L),
            Map.entry("torn-slot-accepted", 40L),
            Map.entry("revoked-slot-accepted", 32L),
            Map.entry("lease-never-expires", 35L),
            Map.entry("watermark-off-by-one", 2100L),
            Map.entry("last-stable-offset-ignored", 35L),
            Map.entry("swapped-records", 26L),
            Map.entry("shared-bytes-written-into", 15_503L),
            Map.entry("region-withdrawn-at-once", 2868L),
            Map.entry("revocation-unpublished", 32L));

    @Test
    void shouldCatchEachPlantedBug() {
        Instrumentation instrumentation = Surroundings.install();
        List<String> missed = new ArrayList<>();
        List<String> report = new ArrayList<>();
        for (PlantedBug bug : PlantedBugs.ALL) {
            String caught = catchIt(bug, instrumentation);
            if (caught == null) {
                missed.add(bug.name());
            }
            report.add("%-28s %-60s %s".formatted(bug.name(), bug.breaks(), caught == null ? "NOT CAUGHT" : caught));
        }
        report.forEach(System.out::println);

        assertThat(missed).as("planted bugs that no run caught").isEmpty();
        assertThat(PlantedBugs.ALL).hasSizeGreaterThanOrEqualTo(20);
    }

    private static String catchIt(PlantedBug bug, Instrumentation instrumentation) {
        try (Planting planting = Planting.of(bug, instrumentation)) {
            long first = FIRST_SEEDS.getOrDefault(bug.name(), 1L);
            for (long seed = first; seed < first + MOST_SEEDS; seed++) {
                Violation violation = Simulation.run(Scenario.of(seed), false).violation();
                assertThat(planting.isWoven()).as("%s is woven", bug.name()).isTrue();
                if (violation != null) {
                    return "by " + violation.invariant() + ", seed " + seed;
                }
            }
            return null;
        }
    }

    @Test
    void shouldLeaveNothingBehind() {
        Instrumentation instrumentation = Surroundings.install();
        try (Planting planting = Planting.of(PlantedBugs.named("short-reply"), instrumentation)) {
            assertThat(planting.bug().breaks()).isNotEmpty();
            assertThat(Simulation.run(Scenario.of(1), false).violation()).isNotNull();
        }
        assertThat(Simulation.run(Scenario.of(1), false).violation()).isNull();
    }

    @Test
    void shouldShrinkWhatFails() {
        Instrumentation instrumentation = Surroundings.install();
        try (Planting planting = Planting.of(PlantedBugs.named("short-reply"), instrumentation)) {
            Scenario scenario = Scenario.of(1);
            Scenario smallest = Shrinking.shrink(scenario);

            assertThat(planting.isWoven()).isTrue();
            assertThat(smallest.faults()).isEmpty();
            assertThat(smallest.consumers()).isEmpty();
            assertThat(smallest.producers()).hasSize(1);
            assertThat(Simulation.run(smallest, false).violation()).isNotNull();
        }
    }
}
