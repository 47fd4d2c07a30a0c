// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.slipstream.planted.PlantedBug;
import io.slipstream.planted.Planting;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.TreeMap;

/** Measures how many random seeds find a planted bug. */
public final class PlantedSeeds {
    /**
     * The result for one bug.
     *
     * @param found how often it was found
     * @param seeds seeds run in all
     * @param invariants by which invariants it was found, and how often
     * @param alarms messages of the first find by each invariant
     */
    public record Found(int found, long seeds, Map<String, Integer> invariants, Map<String, String> alarms) {
        /** Returns the mean number of seeds for one find; a lower bound if there was none. */
        public long meanSeeds() {
            return seeds / Math.max(1, found);
        }
    }

    private PlantedSeeds() {}

    /** Plants the bug and runs seeds until it was found that often, or all seeds are used. */
    public static Found measure(PlantedBug bug, long firstSeed, int mostFinds, long mostSeeds) {
        Instrumentation instrumentation = Surroundings.install();
        Map<String, Integer> invariants = new TreeMap<>();
        Map<String, String> alarms = new TreeMap<>();
        int found = 0;
        long run = 0;
        try (Planting planting = Planting.of(bug, instrumentation)) {
            while (found < mostFinds && run < mostSeeds) {
                Violation violation =
                        Simulation.run(Scenario.of(firstSeed + run++), false).violation();
                if (violation != null) {
                    found++;
                    invariants.merge(violation.invariant(), 1, Integer::sum);
                    alarms.putIfAbsent(violation.invariant(), violation.message());
                }
            }
            if (!planting.isWoven()) {
                throw new IllegalStateException(bug.name() + " is not woven");
            }
        }
        return new Found(found, run, invariants, alarms);
    }

    /** Returns the first scenario that fails; null if none of so many seeds does. */
    public static Scenario firstFailing(long firstSeed, int mostSeeds) {
        for (long seed = firstSeed; seed < firstSeed + mostSeeds; seed++) {
            Scenario scenario = Scenario.of(seed);
            if (Simulation.run(scenario, false).violation() != null) {
                return scenario;
            }
        }
        return null;
    }
}
