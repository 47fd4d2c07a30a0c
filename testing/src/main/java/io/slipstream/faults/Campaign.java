// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.slipstream.faults.judge.ClientErrors;
import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.faults.schedule.Schedule;
import io.slipstream.process.Deadline;
import io.slipstream.process.StartFailure;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/**
 * Runs one seed after another in the requested arms until the number of seeds or the time is reached. A started seed
 * runs to its end.
 */
final class Campaign {
    /** Approximate time of the faults of one seed in one arm. */
    static final long SEED_LENGTH_MS = 40_000;

    private final Set<Arm> arms;
    private final Machine machine;
    private final Path directory;
    private final PrintStream out;
    private final long seedLengthMs;
    private final Set<FaultClass> classes;
    private final int recordsPerSecond;

    /**
     * @param directory receives histories with anomalies
     * @param classes the fault classes to draw from
     * @param recordsPerSecond rate of each producer
     */
    Campaign(
            Set<Arm> arms,
            Machine machine,
            Path directory,
            PrintStream out,
            long seedLengthMs,
            Set<FaultClass> classes,
            int recordsPerSecond) {
        this.arms = arms;
        this.machine = machine;
        this.directory = directory;
        this.out = out;
        this.seedLengthMs = seedLengthMs;
        this.classes = classes;
        this.recordsPerSecond = recordsPerSecond;
    }

    /**
     * Limits of a campaign; the first one reached ends it.
     *
     * @param firstSeed the first seed, from which the later ones follow; the only one if {@code seeds} is 1 and it
     * draws a requested number of brokers
     * @param brokers skips seeds that draw another number of brokers; if empty, numbers take turns
     */
    record Limits(long firstSeed, OptionalLong seeds, Duration time, OptionalInt brokers) {
        private boolean fits(Schedule schedule, List<SeedResult> before) {
            int drawn = schedule.topology().brokers();
            return brokers.isPresent()
                    ? drawn == brokers.getAsInt()
                    : before.isEmpty()
                            || drawn
                                    != before.get(before.size() - 1)
                                            .schedule()
                                            .topology()
                                            .brokers();
        }
    }

    List<SeedResult> run(Limits limits) {
        silenceClients();
        Deadline deadline = Deadline.after(limits.time);
        List<SeedResult> results = new ArrayList<>();
        SplittableRandom following = new SplittableRandom(limits.firstSeed);
        long seed = limits.firstSeed;
        do {
            if (limits.fits(Schedule.of(seed, seedLengthMs, classes), results)) {
                results.add(run(seed));
            }
            seed = following.nextLong() & 0xffff_ffffL;
        } while (!deadline.isOver() && (limits.seeds.isEmpty() || results.size() < limits.seeds.getAsLong()));
        return results;
    }

    /** Clients log every fault; the history has the relevant facts. */
    static void silenceClients() {
        if (LoggerFactory.getLogger("org.apache.kafka") instanceof Logger clients) {
            clients.setLevel(Level.OFF);
        }
    }

    /** Runs the arms once more if only times differ. A client must then exceed the control in the same fault again. */
    private SeedResult run(long seed) {
        Schedule schedule = Schedule.of(seed, seedLengthMs, classes);
        out.printf(
                "seed %d: %s, %d faults%s%n",
                seed, schedule.topology(), schedule.faultCount(), schedule.overlapping() ? ", overlapping" : "");
        Try first = attempt(schedule);
        if (!first.differences.isEmpty() || first.slower.isEmpty()) {
            return conclude(schedule, first, first.slower, List.of());
        }
        first.slower.forEach(slower -> out.println("  once more, because " + slower));
        Try second = attempt(schedule);
        List<Comparison.Slower> seenOnce = new ArrayList<>(Comparison.notIn(second.slower, first.slower));
        seenOnce.addAll(Comparison.notIn(first.slower, second.slower));
        return conclude(schedule, second, Comparison.alsoIn(first.slower, second.slower), seenOnce);
    }

    /** @param differences all but the slower clients */
    private record Try(Map<Arm, ArmResult> results, List<String> differences, List<Comparison.Slower> slower) {}

    private Try attempt(Schedule schedule) {
        Map<Arm, ArmResult> results = new EnumMap<>(Arm.class);
        List<String> abandoned = new ArrayList<>();
        for (Arm arm : Arm.values()) {
            if (arms.contains(arm)) {
                try {
                    ArmResult result = new ArmRun(schedule, arm, machine, recordsPerSecond, directory).run();
                    results.put(arm, result);
                    progress(result);
                } catch (FaultFailure | StartFailure | IllegalStateException e) {
                    String what = arm + " was abandoned: " + e.getMessage();
                    abandoned.add(what);
                    out.println("  " + what);
                }
            }
        }
        List<String> differences = new ArrayList<>(Comparison.certain(results));
        differences.addAll(abandoned);
        return new Try(results, differences, Comparison.slower(results));
    }

    private SeedResult conclude(
            Schedule schedule, Try last, List<Comparison.Slower> slower, List<Comparison.Slower> seenOnce) {
        List<String> differences = new ArrayList<>(last.differences);
        slower.forEach(found -> differences.add(found.toString()));
        SeedResult result = new SeedResult(
                schedule,
                last.results,
                List.copyOf(differences),
                seenOnce.stream().map(Comparison.Slower::toString).toList());
        result.seenOnce().forEach(once -> out.println("  in one run of two: " + once));
        result.differences().forEach(difference -> out.println("  RED " + difference));
        if (result.isGreen()) {
            result.results().stream()
                    .filter(ArmResult::isUsual)
                    .forEach(arm -> arm.evidence().delete());
        } else {
            last.results.values().forEach(arm -> out.print(arm.report().text()));
            out.printf("  replay with: ./slipstream faults --replay %d%s%n", schedule.seed(), replayedClasses());
        }
        result.results().forEach(arm -> arm.evidence().compress());
        return result;
    }

    private String replayedClasses() {
        return classes.size() == FaultClass.values().length
                ? ""
                : classes.stream().map(FaultClass::label).sorted().collect(Collectors.joining(",", " --classes ", ""));
    }

    private void progress(ArmResult result) {
        out.printf(
                "  %-12s %5.0f s  %2d faults  %,9d acknowledged  %,9d read  %3.0f %% by RDMA  %d anomalies%s%n",
                result.arm(),
                result.elapsedNs() / 1e9,
                result.carriedOut(),
                result.acknowledged(),
                result.polled(),
                100 * result.paths().rdmaShare(),
                result.anomalies(),
                result.judgement().anomalies().excused() == 0
                        ? ""
                        : ", " + result.judgement().anomalies().excused()
                                + " of them explained by markers that a broker skipped");
        result.judgement().service().errors().forEach((seen, sessions) -> {
            if (!ClientErrors.isOfBrokenConnection(seen.error())) {
                out.printf("    %d sessions saw %s, fault %d%n", sessions, seen.error(), seen.fault());
            }
        });
    }
}
