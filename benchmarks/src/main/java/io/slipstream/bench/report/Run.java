// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A whole run.
 *
 * @param machine names and values of the environment: hardware, kernel, versions, prior load
 * @param settings requested suites, rounds, seeds, flags
 * @param sentences descriptions of the suites by name, in run order
 */
public record Run(
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

    /** Returns the whole run as text for a terminal. */
    public String text() {
        StringBuilder text = new StringBuilder("\n");
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
        return text.append('\n').append(Table.ofVerdicts(verdicts()).text()).toString();
    }

    static String spread() {
        return String.format(
                Locale.ROOT,
                "In brackets the lowest and the highest round: a range that holds the true median with a probability of %.0f %% of 3 rounds,"
                        + " %.0f %% of 5, %.1f %% of 9.%n",
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
