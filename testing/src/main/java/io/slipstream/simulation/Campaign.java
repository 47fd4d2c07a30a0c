// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Runs consecutive seeds and sums up their results. */
public final class Campaign {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private long seeds;
    private long events;
    private long virtualNs;
    private long operations;
    private long faults;
    private long acknowledged;
    private long answeredByRdma;
    private long batchesByRdma;
    private long fetchesByRdma;
    private long cpuNs;
    private final List<Simulation.Outcome> failures = new ArrayList<>();

    /**
     * @param more asked before each run
     * @param after receives each outcome
     */
    public void run(long firstSeed, BooleanSupplier more, Consumer<Simulation.Outcome> after) {
        Surroundings.install();
        for (long seed = firstSeed; more.getAsBoolean(); seed++) {
            long beganNs = THREADS.getCurrentThreadCpuTime();
            Simulation.Outcome outcome = Simulation.run(Scenario.of(seed), false);
            cpuNs += THREADS.getCurrentThreadCpuTime() - beganNs;
            add(outcome);
            after.accept(outcome);
        }
    }

    private void add(Simulation.Outcome outcome) {
        seeds++;
        events += outcome.events();
        virtualNs += outcome.virtualNs();
        operations += outcome.operations();
        faults += outcome.faults();
        acknowledged += outcome.acknowledged();
        answeredByRdma += outcome.byRdma();
        batchesByRdma += outcome.batchesByRdma();
        fetchesByRdma += outcome.fetchesByRdma();
        if (outcome.violation() != null) {
            failures.add(outcome);
        }
    }

    public long seeds() {
        return seeds;
    }

    public long faults() {
        return faults;
    }

    public List<Simulation.Outcome> failures() {
        return failures;
    }

    /** Returns one line of counts. */
    public String counts() {
        return "%d seeds, %d violations, %d faults, %.1f s of virtual time, %d events, %d RDMA operations, %d acknowledged batches, %d requests answered by RDMA, %d batches read one-sided, %d fetches of followers by RDMA, %.0f seeds per second of a core"
                .formatted(
                        seeds,
                        failures.size(),
                        faults,
                        virtualNs / 1e9,
                        events,
                        operations,
                        acknowledged,
                        answeredByRdma,
                        batchesByRdma,
                        fetchesByRdma,
                        seeds * 1e9 / Math.max(1, cpuNs));
    }
}
