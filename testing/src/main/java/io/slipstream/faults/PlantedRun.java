// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Schedule;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

/** A short run by RDMA of processes in which a bug is planted. The judge must report the anomalies of that bug. */
final class PlantedRun {
    private static final long LENGTH_MS = 6_000;
    private static final int RECORDS_PER_SECOND = 300;

    private final ProcessBug bug;
    private final Path directory;
    private final PrintStream out;

    PlantedRun(ProcessBug bug, Path directory, PrintStream out) {
        this.bug = bug;
        this.directory = directory;
        this.out = out;
    }

    /** Returns the kinds of anomalies for which the run is red, of those that the bug causes. */
    Set<String> run(long seed) {
        Campaign.silenceClients();
        Schedule schedule = schedule(seed);
        ArmResult result = new ArmRun(schedule, Arm.RDMA, Machine.probe(), RECORDS_PER_SECOND, directory, bug).run();
        out.printf(
                "%s, seed %d: %d faults, %,d acknowledged, %,d read, %.0f s: %s%n",
                bug.name(),
                schedule.seed(),
                result.carriedOut(),
                result.acknowledged(),
                result.polled(),
                result.elapsedNs() / 1e9,
                result.report().counts());
        result.evidence().delete();
        Set<String> red = new TreeSet<>(result.report().counts().keySet());
        red.removeIf(kind -> Comparison.differences(Map.of(Arm.RDMA, result)).stream()
                .noneMatch(difference -> difference.contains(kind)));
        red.retainAll(bug.anomalies());
        return red;
    }

    /** The first seed from this one that draws few processes. */
    private Schedule schedule(long seed) {
        return LongStream.iterate(seed, next -> next + 1)
                .mapToObj(next -> Schedule.of(next, LENGTH_MS, bug.faults()))
                .filter(drawn ->
                        drawn.topology().brokers() == 1 && drawn.topology().proxies() == 1 && !drawn.overlapping())
                .findFirst()
                .orElseThrow();
    }
}
