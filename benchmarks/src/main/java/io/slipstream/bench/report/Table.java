// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Text in rows and columns, for a terminal or as Markdown. */
public record Table(List<String> header, List<List<String>> rows) {
    private static final int TEXT_COLUMNS = 2;

    /** Results of one suite, with a column for each metric of any result. */
    public static Table ofResults(List<Result> results) {
        Set<Metric> metrics = metrics(results);
        List<String> header = new ArrayList<>(List.of("workload", "way"));
        metrics.forEach(metric -> header.add(metric.heading()));
        List<List<String>> rows = new ArrayList<>();
        Subject last = null;
        for (Result result : results) {
            List<String> row = new ArrayList<>();
            row.add(result.subject().equals(last) ? "" : result.subject().label());
            row.add(result.side().label());
            for (Metric metric : metrics) {
                Figure figure = result.figure(metric);
                row.add(figure == null ? "" : figure.text(metric.isPercent()));
            }
            rows.add(row);
            last = result.subject();
        }
        return new Table(header, rows);
    }

    public static Table ofVerdicts(List<Verdict> verdicts) {
        List<List<String>> rows = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            Target target = verdict.target();
            rows.add(List.of(
                    target.experiment(),
                    target.wanted(),
                    verdict.seen(),
                    verdict.status().label(),
                    verdict.floorSeen()));
        }
        return new Table(List.of("target", "wanted", "this run", "verdict", "echo floor"), rows);
    }

    static Set<Metric> metrics(List<Result> results) {
        Set<Metric> metrics = EnumSet.noneOf(Metric.class);
        results.forEach(result -> metrics.addAll(result.figures().keySet()));
        return metrics;
    }

    /** Padded with blanks; numbers are right-aligned. */
    public String text() {
        int[] widths = new int[header.size()];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = header.get(column).length();
            for (List<String> row : rows) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        StringBuilder text = new StringBuilder();
        line(text, header, widths);
        rows.forEach(row -> line(text, row, widths));
        return text.toString();
    }

    private static void line(StringBuilder text, List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String padding = " ".repeat(widths[column] - cells.get(column).length());
            boolean left = column < TEXT_COLUMNS;
            line.append(left ? cells.get(column) + padding : padding + cells.get(column))
                    .append("  ");
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }

    public String markdown() {
        StringBuilder text = new StringBuilder();
        markdownLine(text, header);
        text.append("|---".repeat(header.size())).append("|\n");
        rows.forEach(row -> markdownLine(text, row));
        return text.toString();
    }

    private static void markdownLine(StringBuilder text, List<String> cells) {
        cells.forEach(cell -> text.append("| ").append(cell.replace("|", "\\|")).append(' '));
        text.append("|\n");
    }
}
