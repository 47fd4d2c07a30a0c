// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The report of a run: {@code report.md} with tables and plots, and {@code results.json}. */
public final class ReportDirectory {
    private final Path directory;

    /** {@link #write} creates the directory if needed. */
    public ReportDirectory(Path directory) {
        this.directory = directory;
    }

    public void write(Run run) throws IOException {
        Files.createDirectories(directory);
        new JsonFile().write(run, directory.resolve("results.json"));
        Files.writeString(directory.resolve("report.md"), drawn(run));
    }

    /** Draws the plots into the directory and returns the report as Markdown. */
    public String drawn(Run run) throws IOException {
        List<String> images = new ArrayList<>();
        for (Plot plot : run.plots()) {
            if (plot.isWorthDrawing()) {
                images.add("![" + plot.title() + "](" + Drawing.draw(plot, directory) + ")\n");
            }
        }
        return markdown(run, images);
    }

    static String markdown(Run run, List<String> images) {
        StringBuilder text =
                new StringBuilder("# A run of the benchmark\n\nCommit: " + run.commit() + "\n\n| | |\n|---|---|\n");
        run.machine().forEach((name, value) -> text.append(String.format("| %s | %s |%n", name, value)));
        run.settings().forEach((name, value) -> text.append(String.format("| %s | %s |%n", name, value)));
        text.append('\n').append(Prose.wrap(Run.spread(), ""));
        text.append("\n## Targets\n\n")
                .append(Table.ofVerdicts(run.verdicts()).markdown())
                .append('\n')
                .append(Prose.wrap(run.summary() + '.', ""));
        for (String suite : run.sentences().keySet()) {
            if (!run.of(suite).isEmpty()) {
                text.append("\n## ").append(suite).append("\n\n");
                text.append(Prose.wrap(run.sentences().get(suite), "")).append('\n');
                text.append(Table.ofResults(run.of(suite)).markdown());
            }
        }
        if (!images.isEmpty()) {
            text.append("\n## Plots\n\n").append(String.join("\n", images));
        }
        text.append("\n## Columns\n\n");
        run.legend("- %s: %s%n").lines().forEach(line -> text.append(Prose.wrap(line, "  ")));
        return text.toString();
    }
}
