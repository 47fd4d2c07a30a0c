// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.slipstream.checker.Invariant;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Totals of a campaign, for people and for programs. */
public final class CrashTotals {
    private final CrashPlan plan;
    private final long startNs = System.nanoTime();
    private final List<CrashResult> results = new ArrayList<>();
    private final List<String> abandoned = new ArrayList<>();

    CrashTotals(CrashPlan plan) {
        this.plan = plan;
    }

    void add(CrashResult result) {
        results.add(result);
    }

    void abandon(String what) {
        abandoned.add(what);
    }

    /** Returns the kills of checked rounds. */
    public int kills() {
        return results.stream().mapToInt(result -> result.outcomes().size()).sum();
    }

    /** Returns all failures; empty if there are none. */
    public List<String> failures() {
        return Stream.concat(
                        results.stream()
                                .flatMap(result -> result.failures().stream()
                                        .map(what -> "seed " + result.schedule().seed() + ": " + what)),
                        abandoned.stream())
                .toList();
    }

    public long acknowledged() {
        return sum(CrashResult::acknowledged);
    }

    /** Returns the records produced by RDMA in the load before kills. */
    public long byRdma() {
        return sum(result ->
                result.outcomes().stream().mapToLong(KillOutcome::byRdma).sum());
    }

    /** Returns the batches in recovered logs that Kafka's own tool iterated over. */
    public long inspectedBatches() {
        return sum(CrashResult::batches);
    }

    /** Returns the number of facts judged about each invariant. */
    private Map<Invariant, Long> facts() {
        Map<Invariant, Long> facts = new EnumMap<>(Invariant.class);
        for (Invariant invariant : Invariant.values()) {
            facts.put(invariant, sum(result -> result.report().facts(invariant)));
        }
        return facts;
    }

    /** Returns the kills that left bytes beyond the last batch of a log. */
    private long killsWithTornLogs() {
        return sum(result ->
                result.outcomes().stream().filter(outcome -> outcome.torn() > 0).count());
    }

    private long sum(ToLongFunction<CrashResult> of) {
        return results.stream().mapToLong(of).sum();
    }

    private double killsPerMinute() {
        return kills() / ((System.nanoTime() - startNs) / 60e9);
    }

    /** For each victim: kills, kills with duplicates, and duplicates. */
    private Map<Victim, long[]> byVictim() {
        Map<Victim, long[]> rows = new TreeMap<>();
        for (CrashResult result : results) {
            for (KillOutcome outcome : result.outcomes()) {
                long[] row = rows.computeIfAbsent(outcome.kill().victim(), any -> new long[3]);
                Integer records =
                        result.duplicates().recordsByFault().get(outcome.kill().number());
                row[0]++;
                row[1] += records == null ? 0 : 1;
                row[2] += records == null ? 0 : records;
            }
        }
        return rows;
    }

    /** Returns the kills after which records of idempotent producers are twice. */
    long killsWithDuplicates() {
        return byVictim().values().stream().mapToLong(row -> row[1]).sum();
    }

    private Map<String, Long> anomalies() {
        Map<String, Long> counts = new TreeMap<>();
        results.forEach(
                result -> result.report().counts().forEach((kind, count) -> counts.merge(kind, count, Long::sum)));
        return counts;
    }

    public void print(PrintStream out) {
        out.printf(
                "%n%d kills (%d deaths by SIGKILL) in %d rounds, %.1f kills a minute; %,d acknowledged, %,d read%n",
                kills(),
                sum(result -> result.deaths(!plan.arm().hasProxies())),
                results.size(),
                killsPerMinute(),
                acknowledged(),
                sum(result -> result.report().polled()));
        out.printf(
                "%,d files with %,d batches through DumpLogSegments; %d kills left %,d bytes beyond the last batch%n",
                sum(CrashResult::files),
                inspectedBatches(),
                killsWithTornLogs(),
                sum(result -> result.outcomes().stream()
                        .mapToLong(KillOutcome::beyondBytes)
                        .sum()));
        out.printf("facts that the checker judged: %s%n", facts());
        out.println("seeds "
                + results.stream()
                        .map(result -> Long.toString(result.schedule().seed()))
                        .collect(Collectors.joining(", ")));
        byVictim()
                .forEach((victim, row) -> out.printf(
                        "  %-18s %4d kills, %3d with duplicates of idempotent producers, %d duplicate records%n",
                        victim.label(), row[0], row[1], row[2]));
        anomalies().forEach((kind, count) -> out.printf("  %s: %d%n", kind, count));
        failures().stream().limit(100).forEach(failure -> out.println("RED " + failure));
        out.println(failures().isEmpty() ? "no anomaly" : failures().size() + " failures");
    }

    public void write(Path file) {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        root.put("arm", plan.armLabel());
        root.put("kills", kills());
        root.put("deaths", sum(result -> result.deaths(!plan.arm().hasProxies())));
        root.put("rounds", results.size());
        root.put("killsPerMinute", killsPerMinute());
        root.put("acknowledged", acknowledged());
        root.put("polled", sum(result -> result.report().polled()));
        root.put("inspectedFiles", sum(CrashResult::files));
        root.put("inspectedBatches", inspectedBatches());
        ObjectNode facts = root.putObject("factsChecked");
        facts().forEach((invariant, count) -> facts.put(invariant.name(), count));
        root.put("killsWithTornLogs", killsWithTornLogs());
        ObjectNode victims = root.putObject("victims");
        byVictim()
                .forEach((victim, row) -> victims.putObject(victim.label())
                        .put("kills", row[0])
                        .put("killsWithDuplicates", row[1])
                        .put("recordsTwice", row[2]));
        ArrayNode failures = root.putArray("failures");
        failures().forEach(failures::add);
        ArrayNode rounds = root.putArray("seeds");
        results.forEach(result -> round(rounds.addObject(), result));
        try {
            mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
        } catch (IOException e) {
            throw new UncheckedIOException("--json: cannot write " + file, e);
        }
    }

    private static void round(ObjectNode node, CrashResult result) {
        node.put("seed", result.schedule().seed());
        node.put("schedule", result.schedule().toString());
        node.put("acknowledged", result.acknowledged());
        node.put("excusedBySkippedMarkers", result.anomalies().excused());
        node.put("elapsedNs", result.elapsedNs());
        ObjectNode tolerated = node.putObject("tolerated");
        result.report().tolerated().forEach(tolerated::put);
        ArrayNode kills = node.putArray("kills");
        for (KillOutcome outcome : result.outcomes()) {
            kills.addObject()
                    .put("kill", outcome.kill().toString())
                    .put("acknowledged", outcome.acknowledged())
                    .put("byRdma", outcome.byRdma())
                    .put("beyondBytes", outcome.beyondBytes())
                    .put("startNs", outcome.startNs())
                    .put("cycleNs", outcome.cycleNs())
                    .put(
                            "recordsTwice",
                            result.duplicates()
                                    .recordsByFault()
                                    .getOrDefault(outcome.kill().number(), 0));
        }
    }
}
