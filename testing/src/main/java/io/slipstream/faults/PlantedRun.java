// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Schedule;
import io.slipstream.process.Deadline;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Short runs by RDMA of processes in which a bug is planted, until the judge reports an anomaly of that bug. It must
 * within 3 minutes. A single run may have no moment at which the bug shows.
 */
final class PlantedRun {
    private static final long LENGTH_MS = 10_000;
    private static final int RECORDS_PER_SECOND = 300;

    /** The last run begins before this has passed, and ends within the 3 minutes. */
    private static final Duration PATIENCE = Duration.ofSeconds(110);

    private final ProcessBug bug;
    private final Path directory;
    private final PrintStream out;

    PlantedRun(ProcessBug bug, Path directory, PrintStream out) {
        this.bug = bug;
        this.directory = directory;
        this.out = out;
    }

    /** Returns the kinds of anomalies for which a run is red, of those that the bug causes; empty if none is. */
    Set<String> run(long seed) {
        Campaign.silenceClients();
        Iterator<Schedule> schedules = schedules(seed).iterator();
        Deadline deadline = Deadline.after(PATIENCE);
        Set<String> red;
        do {
            red = run(schedules.next());
        } while (red.isEmpty() && !deadline.isOver());
        return red;
    }

    private Set<String> run(Schedule schedule) {
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

    /** Schedules with few processes, by the seeds from this one on. */
    private Stream<Schedule> schedules(long seed) {
        return LongStream.iterate(seed, next -> next + 1)
                .mapToObj(next -> Schedule.of(next, LENGTH_MS, bug.faults()))
                .filter(drawn ->
                        drawn.topology().brokers() == 1 && drawn.topology().proxies() == 1 && !drawn.overlapping());
    }
}
