// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.slipstream.faults.Arm;
import io.slipstream.faults.FaultFailure;
import io.slipstream.process.StartFailure;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * Runs rounds of fresh seeds until enough kills were made. Prints a line per kill and, per round, the failures and the
 * replay command.
 */
public final class CrashCampaign {
    private static final int MOST_ABANDONED = 3;

    private final CrashPlan plan;
    private final Path directory;
    private final PrintStream out;
    private final Consumer<CrashTotals> afterRound;
    private final List<String> abandoned = new ArrayList<>();

    public CrashCampaign(CrashPlan plan, Path directory, PrintStream out) {
        this(plan, directory, out, totals -> {});
    }

    /**
     * @param directory receives evidence of failed rounds
     * @param afterRound receives the totals so far, so that an interrupted run has results
     */
    public CrashCampaign(CrashPlan plan, Path directory, PrintStream out, Consumer<CrashTotals> afterRound) {
        this.plan = plan;
        this.directory = directory;
        this.out = out;
        this.afterRound = afterRound;
    }

    /** Runs consecutive seeds from {@code firstSeed} until {@code kills} kills were made. */
    public CrashTotals run(long firstSeed, int kills) {
        silenceClients();
        CrashTotals totals = new CrashTotals(plan);
        for (long seed = firstSeed; totals.kills() < kills && abandoned.size() < MOST_ABANDONED; seed++) {
            try {
                totals.add(round(seed));
                afterRound.accept(totals);
            } catch (FaultFailure | StartFailure | IllegalStateException e) {
                // Whole: the end of the process's log is all that is left of the cause.
                String what = "seed " + seed + " was abandoned: " + e.getMessage();
                abandoned.add(what);
                totals.abandon(what);
                out.println("  RED " + what + "\n  replay with: " + replayCommand(seed));
            }
        }
        return totals;
    }

    /** Runs the round of the seed again. */
    public CrashTotals replay(long seed) {
        silenceClients();
        CrashTotals totals = new CrashTotals(plan);
        totals.add(round(seed));
        return totals;
    }

    private CrashResult round(long seed) {
        CrashSchedule schedule = plan.schedule(seed);
        CrashEvidence evidence = new CrashEvidence(directory, plan, seed);
        out.printf("seed %d: %s%n", seed, schedule);
        CrashResult result = new CrashRun(plan, schedule, evidence, outcome -> progress(seed, outcome)).run();
        out.printf(
                "  checked in %.0f s: %,d acknowledged, %,d read, %,d files and %,d batches by DumpLogSegments, %d duplicates by %d kills%s%n",
                result.elapsedNs() / 1e9,
                result.acknowledged(),
                result.report().polled(),
                result.files(),
                result.batches(),
                result.duplicates().records(),
                result.duplicates().recordsByFault().size(),
                result.anomalies().excused() == 0
                        ? ""
                        : ", " + result.anomalies().excused()
                                + " anomalies explained by markers that the broker skipped");
        result.duplicates()
                .recordsByFault()
                .forEach((kill, records) -> out.printf("    kill %d: %d duplicate records%n", kill, records));
        if (result.failures().isEmpty()) {
            evidence.delete();
        } else {
            result.failures().stream().limit(40).forEach(failure -> out.println("  RED " + failure));
            out.print(result.report().text());
            out.println("  kept in " + evidence.directory() + "\n  replay with: " + replayCommand(seed));
        }
        return result;
    }

    private String replayCommand(long seed) {
        StringBuilder command = new StringBuilder("./slipstream faults --crash --replay ").append(seed);
        command.append(" --kills ").append(plan.killsPerRound());
        if (plan.arm() != Arm.RDMA) {
            command.append(" --arm ").append(plan.armLabel());
        }
        if (plan.victims().size() < Victim.values().length) {
            command.append(" --victims ")
                    .append(String.join(
                            ",",
                            plan.victims().stream().map(Victim::label).sorted().toList()));
        }
        return command.toString();
    }

    private void progress(long seed, KillOutcome outcome) {
        out.printf(
                "  %d/%d %-52s %4.1f s, start %3.1f s, %,6d acknowledged, %,6d by RDMA, beyond %,d (%d logs)%n",
                seed,
                outcome.kill().number(),
                outcome.kill(),
                outcome.cycleNs() / 1e9,
                outcome.startNs() / 1e9,
                outcome.acknowledged(),
                outcome.byRdma(),
                outcome.beyondBytes(),
                outcome.torn());
    }

    /** Clients correctly log every lost connection. */
    static void silenceClients() {
        if (LoggerFactory.getLogger("org.apache.kafka") instanceof Logger clients) {
            clients.setLevel(Level.OFF);
        }
    }
}
