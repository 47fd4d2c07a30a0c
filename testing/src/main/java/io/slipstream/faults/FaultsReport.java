// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.FaultClass;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The final table for people. */
final class FaultsReport {
    private static final double NS_PER_MS = 1e6;

    private final Totals totals;
    private final PrintStream out;

    FaultsReport(Totals totals, PrintStream out) {
        this.totals = totals;
        this.out = out;
    }

    void print(Machine machine) {
        out.printf(
                "%n%d seeds (%d with overlapping faults), %d histories, %d faults injected%n",
                totals.seeds().size(), totals.overlapping(), totals.histories(), totals.carriedOut());
        out.printf("%,d records acknowledged, %,d read%n", totals.acknowledged(), totals.polled());
        totals.seeds().forEach(this::seed);
        faults();
        machine.obstacles().forEach((faultClass, why) -> out.printf("skipped: %s: %s%n", faultClass.label(), why));
        totals.notes(FaultOutcome.State.FAILED)
                .forEach(
                        (faultClass, why) -> out.printf("failed:  %s, last: %s%n", faultClass.label(), firstLine(why)));
        for (Arm arm : List.of(Arm.TCP, Arm.RDMA)) {
            times("kill -9 of " + arm + ": return to next acknowledgement", totals.afterReturn(arm), "1 s");
        }
        String loss = "loss of the queue pair: cut to next acknowledgement";
        times(loss + ", before the workload", totals.afterLossAtRest(), "50 ms");
        times(loss + ", under the workload", totals.afterLoss(), "50 ms");
        anomalies();
    }

    private void seed(SeedResult seed) {
        out.printf(
                "seed %d: %s, %d faults%s%s%n",
                seed.schedule().seed(),
                seed.schedule().topology(),
                seed.results().stream().mapToLong(ArmResult::carriedOut).sum(),
                seed.schedule().overlapping() ? ", overlapping" : "",
                seed.isGreen() ? "" : ", RED");
        seed.seenOnce().forEach(once -> out.println("  in one run of two: " + once));
    }

    private void faults() {
        out.printf("%n%-18s %8s %12s %12s   %s%n", "faults", "direct", "proxy, TCP", "proxy, RDMA", "");
        for (FaultClass faultClass : FaultClass.values()) {
            Map<Arm, Long> done = totals.faults(faultClass, FaultOutcome.State.CARRIED_OUT);
            Map<Arm, Long> failed = totals.faults(faultClass, FaultOutcome.State.FAILED);
            out.printf(
                    "%-18s %8s %12s %12s   %s%n",
                    faultClass.label(),
                    cell(done, failed, Arm.DIRECT),
                    cell(done, failed, Arm.TCP),
                    cell(done, failed, Arm.RDMA),
                    faultClass.meaning());
        }
    }

    private static String cell(Map<Arm, Long> done, Map<Arm, Long> failed, Arm arm) {
        long failures = failed.getOrDefault(arm, 0L);
        return done.getOrDefault(arm, 0L) + (failures == 0 ? "" : " (" + failures + " failed)");
    }

    private void times(String what, Totals.Times times, String goal) {
        if (times.count() > 0) {
            out.printf(
                    "%s: median %.1f ms, p99 %.1f ms, max %.1f ms of %d; %.0f %% within %s%n",
                    what,
                    times.medianNs() / NS_PER_MS,
                    times.p99Ns() / NS_PER_MS,
                    times.maxNs() / NS_PER_MS,
                    times.count(),
                    100 * times.shareWithin(),
                    goal);
        }
    }

    private void anomalies() {
        kinds("facts that the checker judged", totals.facts());
        kinds("anomalies", totals.anomalies());
        kinds("known behaviour of stock Kafka, no anomaly", totals.tolerated());
        duplicates();
        List<String> red = new ArrayList<>();
        for (SeedResult seed : totals.seeds()) {
            seed.differences()
                    .forEach(difference -> red.add("seed " + seed.schedule().seed() + ": " + difference));
        }
        if (totals.hasMoreDuplicatesByRdma()) {
            red.add("more histories with duplicates of idempotent producers by RDMA than with RDMA off");
        }
        out.printf("%n%s%n", red.isEmpty() ? "no anomaly beyond those of the direct arm" : "RED:");
        red.forEach(line -> out.println("  " + line));
    }

    private void duplicates() {
        long[] rdma = totals.withDuplicates(Arm.RDMA);
        long[] control = totals.withDuplicates(Arm.TCP);
        if (rdma[0] + control[0] > 0) {
            out.printf(
                    "%nhistories with duplicates of idempotent producers: by RDMA %d of %d, with RDMA off %d of %d;"
                            + " Fisher's exact test p = %.3f%n",
                    rdma[0], rdma[1], control[0], control[1], totals.chanceOfDuplicates());
        }
    }

    private void kinds(String title, Map<String, Map<Arm, Long>> kinds) {
        if (kinds.isEmpty()) {
            return;
        }
        out.printf("%n%-40s %8s %12s %12s%n", title, "direct", "proxy, TCP", "proxy, RDMA");
        kinds.forEach((kind, counts) -> out.printf(
                "%-40s %8d %12d %12d%n",
                kind,
                counts.getOrDefault(Arm.DIRECT, 0L),
                counts.getOrDefault(Arm.TCP, 0L),
                counts.getOrDefault(Arm.RDMA, 0L)));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }
}
