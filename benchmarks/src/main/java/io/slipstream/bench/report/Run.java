// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import io.slipstream.bench.source.Commit;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A whole run.
 *
 * @param commit the measured code
 * @param machine names and values of the environment: hardware, kernel, versions, prior load
 * @param settings requested suites, rounds, seeds, flags
 * @param sentences descriptions of the suites by name, in run order
 */
public record Run(
        Commit commit,
        Map<String, String> machine,
        Map<String, String> settings,
        Map<String, String> sentences,
        List<Result> results,
        List<Plot> plots) {
    List<Result> of(String suite) {
        return results.stream()
                .filter(result -> result.subject().suite().equals(suite))
                .toList();
    }

    public List<Verdict> verdicts() {
        return Targets.judge(results);
    }

    /** Returns how many targets have each status, those of the enum's order first; none is left out. */
    public Map<Verdict.Status, Long> counts() {
        Map<Verdict.Status, Long> counts = new EnumMap<>(Verdict.Status.class);
        for (Verdict.Status status : Verdict.Status.values()) {
            counts.put(
                    status,
                    verdicts().stream()
                            .filter(verdict -> verdict.status() == status)
                            .count());
        }
        return counts;
    }

    /** Returns one line that counts the verdicts. */
    public String summary() {
        return counts().entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey().label())
                .collect(Collectors.joining(", ", "targets: ", ""));
    }

    /** Returns the whole run as text for a terminal. */
    public String text() {
        StringBuilder text = new StringBuilder(String.format("%n%-14s %s%n", "commit", commit));
        machine.forEach((name, value) -> text.append(String.format("%-14s %s%n", name, value)));
        settings.forEach((name, value) -> text.append(String.format("%-14s %s%n", name, value)));
        for (String suite : sentences.keySet()) {
            if (!of(suite).isEmpty()) {
                text.append('\n')
                        .append(suite)
                        .append(": ")
                        .append(sentences.get(suite))
                        .append('\n');
                text.append(Table.ofResults(of(suite)).text());
            }
        }
        text.append('\n').append(legend("%-14s %s%n")).append(spread());
        text.append('\n').append(Table.ofVerdicts(verdicts()).text());
        return text.append('\n').append(summary()).append('\n').toString();
    }

    static String spread() {
        return String.format(
                Locale.ROOT,
                "Brackets show the lowest and the highest round. The true median lies between them with a probability of"
                        + " %.0f %% for 3 rounds, %.0f %% for 5, %.1f %% for 9. A range that crosses the limit leaves its"
                        + " target undecided.%n",
                Figure.confidence(3) * 100,
                Figure.confidence(5) * 100,
                Figure.confidence(9) * 100);
    }

    /** @param format format of a heading and its meaning */
    String legend(String format) {
        return Table.metrics(results).stream()
                .map(metric -> String.format(format, metric.heading(), metric.meaning()))
                .collect(Collectors.joining());
    }
}
