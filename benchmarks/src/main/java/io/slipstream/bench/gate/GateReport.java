// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.gate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.slipstream.bench.report.Table;
import io.slipstream.bench.source.Commit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The comparison of a commit with its parent.
 *
 * @param parent hash of the parent
 * @param sets the comparisons of each set of processes, in the same order; there is a second set if the first one saw a
 * slower figure
 */
public record GateReport(Commit commit, String parent, List<List<Comparison>> sets) {
    static final String SCHEMA = "slipstream-gate/1";

    /**
     * Returns the figures that are slower in all sets. Two processes of one build can differ for as long as they live,
     * by what their JVMs compiled; other processes of it differ otherwise.
     */
    public List<String> slower() {
        return sets.get(0).stream()
                .map(Comparison::figure)
                .filter(figure -> sets.stream()
                        .allMatch(set -> set.stream()
                                .anyMatch(each ->
                                        each.figure().equals(figure) && each.verdict() == Comparison.Verdict.SLOWER)))
                .toList();
    }

    /** Returns whether a figure of the set is slower, so that another set must confirm it. */
    public static boolean isSuspicious(List<Comparison> set) {
        return set.stream().anyMatch(each -> each.verdict() == Comparison.Verdict.SLOWER);
    }

    public String text() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < sets.size(); i++) {
            text.append(i == 0 ? "\n" : "\nonce more, with other processes:\n")
                    .append(table(sets.get(i)).text());
        }
        text.append(String.format(
                Locale.ROOT,
                "%nratio: commit to parent, median of the rounds, in brackets its %.0f %% confidence interval. A figure is"
                        + " slower if the interval lies wholly beyond %.2f, and not slower if it lies wholly within.%n",
                PairedRatio.CONFIDENCE * 100,
                Comparison.LIMIT));
        List<String> slower = slower();
        return text.append("gate: ")
                .append(slower.isEmpty() ? "passed, " : "FAILED, ")
                .append(counts())
                .append(slower.isEmpty() ? "" : "; slower in both sets: " + String.join(", ", slower))
                .append('\n')
                .toString();
    }

    /** Counts the verdicts of the last set. */
    private String counts() {
        List<Comparison> last = sets.get(sets.size() - 1);
        List<String> counts = new ArrayList<>();
        for (Comparison.Verdict verdict : Comparison.Verdict.values()) {
            long count = last.stream().filter(each -> each.verdict() == verdict).count();
            counts.add(count + " " + verdict.label());
        }
        return counts.stream().collect(Collectors.joining(", "));
    }

    private static Table table(List<Comparison> set) {
        List<List<String>> rows = new ArrayList<>();
        for (Comparison each : set) {
            PairedRatio ratio = each.ratio();
            rows.add(List.of(
                    each.figure(),
                    each.verdict().label(),
                    number(each.parent()),
                    number(each.commit()),
                    number(ratio.median()) + " (" + number(ratio.lowest()) + " to " + number(ratio.highest()) + ')'));
        }
        return new Table(List.of("figure", "verdict", "parent", "commit", "ratio"), rows);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    public void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(file.toFile(), json());
    }

    ObjectNode json() {
        ObjectNode root = new ObjectMapper().createObjectNode();
        root.put("schema", SCHEMA).put("commit", commit.hash()).put("changed", commit.isChanged());
        root.put("parent", parent).put("passed", slower().isEmpty());
        var array = root.putArray("sets");
        for (List<Comparison> set : sets) {
            var figures = array.addArray();
            for (Comparison each : set) {
                ObjectNode node = figures.addObject();
                node.put("figure", each.figure()).put("verdict", each.verdict().label());
                node.put("parent", each.parent()).put("commit", each.commit());
                node.put("ratio", each.ratio().median());
                node.put("lowest", each.ratio().lowest())
                        .put("highest", each.ratio().highest());
            }
        }
        return root;
    }
}
