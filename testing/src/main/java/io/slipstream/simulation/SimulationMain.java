// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.slipstream.figures.Recording;
import io.slipstream.planted.PlantedBug;
import io.slipstream.planted.PlantedBugs;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./slipstream faults --simulate}. Exit status: 0 if all invariants hold, 1 if one is violated, 2 on wrong
 * usage.
 */
@Command(name = "simulate", mixinStandardHelpOptions = true, description = "Simulates proxy and plugin by seed.")
public final class SimulationMain implements Callable<Integer> {
    private static final long PROGRESS_NS = 10_000_000_000L;
    private static final int MOST_FAILURES = 10;
    private static final int PLANTED_SEEDS = 3_000;

    @Option(names = "--seeds", description = "Number of runs; by default as many as the time allows.")
    private long seeds;

    @Option(names = "--minutes", description = "Duration in minutes without --seeds (1).")
    private double minutes = 1;

    @Option(names = "--seed", description = "First seed; by default from the clock.")
    private Long firstSeed;

    @Option(names = "--replay", description = "Runs only this seed and shrinks it if it fails.")
    private Long replay;

    @Option(names = "--record", description = "Manual whose figures of the simulation are replaced.")
    private Path record;

    @Option(names = "--trace", description = "With --replay: prints a trace.")
    private boolean traced;

    @Option(
            names = "--planted",
            description = "Plants this bug, or \"all\" one after the other, and prints how many seeds find it.")
    private String planted;

    @Option(names = "--finds", description = "With --planted: how often a bug is found before the next (10).")
    private int finds = 10;

    private final PrintStream out = System.out;

    public static void main(String[] args) {
        System.setProperty("logback.statusListenerClass", "ch.qos.logback.core.status.NopStatusListener");
        System.exit(new CommandLine(new SimulationMain()).execute(args));
    }

    @Override
    public Integer call() {
        if (planted != null) {
            return runPlanted();
        }
        return replay == null ? runMany() : runOne();
    }

    private int runPlanted() {
        long first = firstSeed == null ? System.currentTimeMillis() * 1_000_000 : firstSeed;
        List<PlantedBug> bugs;
        try {
            bugs = planted.equals("all") ? PlantedBugs.ALL : List.of(PlantedBugs.named(planted));
        } catch (IllegalArgumentException unknown) {
            out.println(unknown.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
        boolean all = true;
        for (PlantedBug bug : bugs) {
            PlantedSeeds.Found found = PlantedSeeds.measure(bug, first, finds, seeds == 0 ? PLANTED_SEEDS : seeds);
            all &= found.found() > 0;
            out.printf(
                    "%-30s %s %5d seeds, %s%n",
                    bug.name(), found.found() == 0 ? ">" : " ", found.meanSeeds(), found.alarms());
        }
        return all ? 0 : 1;
    }

    private int runMany() {
        Recording recording = record == null ? null : Recording.begin(record, "simulation", command());
        long first = firstSeed == null ? System.currentTimeMillis() * 1_000_000 : firstSeed;
        long startNs = System.nanoTime();
        long endNs = startNs + (long) (minutes * 60e9);
        Campaign campaign = new Campaign();
        BooleanSupplier more = () -> campaign.failures().size() < MOST_FAILURES
                && (seeds > 0 ? campaign.seeds() < seeds : System.nanoTime() - endNs < 0);
        long[] reportedNs = {startNs};
        out.println("simulation from seed " + first);
        campaign.run(first, more, outcome -> {
            if (outcome.violation() != null) {
                out.println("seed " + outcome.scenario().seed() + ": " + outcome.violation());
            }
            long nowNs = System.nanoTime();
            if (nowNs - reportedNs[0] > PROGRESS_NS) {
                reportedNs[0] = nowNs;
                out.printf("%7.0f s  %s%n", (nowNs - startNs) / 1e9, campaign.counts());
            }
        });
        double seconds = (System.nanoTime() - startNs) / 1e9;
        Recording.print(recording, report -> {
            report.println("seeds from " + first);
            report.println(campaign.counts().replace(", ", "\n"));
            report.printf("%.1f s, %.0f seeds/s%n", seconds, campaign.seeds() / seconds);
        });
        campaign.failures()
                .forEach(failed -> out.println("replay with: ./slipstream faults --simulate --replay "
                        + failed.scenario().seed()));
        return campaign.failures().isEmpty() ? 0 : 1;
    }

    private String command() {
        return "./slipstream faults --simulate "
                + (seeds > 0 ? "--seeds " + seeds : "--minutes %.0f".formatted(minutes)) + " --record " + record;
    }

    private int runOne() {
        Surroundings.install();
        Scenario scenario = Scenario.of(replay);
        Simulation.Outcome outcome = Simulation.run(scenario, traced);
        outcome.trace().forEach(out::println);
        out.println(scenario);
        if (outcome.violation() == null) {
            out.println("seed " + replay + ": all invariants hold; " + outcome.events() + " events, digest "
                    + Long.toHexString(outcome.digest()));
            return 0;
        }
        out.println("seed " + replay + ": " + outcome.violation());
        if (outcome.violation().cause() != null) {
            outcome.violation().cause().printStackTrace(out);
        }
        Scenario smallest = Shrinking.shrink(scenario);
        Simulation.Outcome again = Simulation.run(smallest, true);
        out.println("shrunk to: " + smallest);
        again.trace().forEach(out::println);
        return 1;
    }
}
