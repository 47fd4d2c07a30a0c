// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Headline;
import io.slipstream.bench.report.ReportDirectory;
import io.slipstream.bench.report.Run;
import io.slipstream.bench.report.Table;
import io.slipstream.figures.Recording;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a run is recorded: its targets in {@code docs/benchmarks.md}, a few figures in {@code README.md}, and the whole
 * report of a full run in {@code docs/benchmarks/full-run.md}.
 */
final class RunRecording {
    /** Title and commit of the report, each with an empty line; the manual has both already. */
    private static final int TITLE_LINES = 4;

    private final Path directory;
    private final Recording targets;
    /** Null for a quick run. */
    private final Recording report;

    private final Recording headline;

    private RunRecording(Path directory, Recording targets, Recording report, Recording headline) {
        this.directory = directory;
        this.targets = targets;
        this.report = report;
        this.headline = headline;
    }

    static RunRecording begin(Path root, String command, boolean full) {
        Path directory = root.resolve("docs/benchmarks");
        return new RunRecording(
                directory,
                Recording.begin(root.resolve("docs/benchmarks.md"), "targets", command),
                full ? Recording.begin(directory.resolve("full-run.md"), "full-run", command) : null,
                Recording.begin(root.resolve("README.md"), "headline", command));
    }

    void write(Run run) throws IOException {
        List<String> verdicts = new ArrayList<>(
                Table.ofVerdicts(run.verdicts()).markdown().lines().toList());
        verdicts.addAll(List.of("", run.summary() + '.'));
        targets.write(verdicts);
        headline.write(Headline.of(run).markdown().lines().toList());
        if (report != null) {
            report.write(new ReportDirectory(directory)
                    .drawn(run)
                    .lines()
                    .skip(TITLE_LINES)
                    .toList());
        }
    }
}
