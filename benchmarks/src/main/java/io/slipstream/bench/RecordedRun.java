// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.ReportDirectory;
import io.slipstream.bench.report.Run;
import io.slipstream.bench.report.Table;
import io.slipstream.figures.Recording;
import java.io.IOException;
import java.nio.file.Path;

/** Where a full run is recorded: its targets in a manual, its whole report in {@code benchmarks/full-run.md} beside. */
final class RecordedRun {
    /** Title and empty line of the report, which the manual has already. */
    private static final int TITLE_LINES = 2;

    private final Path directory;
    private final Recording targets;
    private final Recording report;

    private RecordedRun(Path directory, Recording targets, Recording report) {
        this.directory = directory;
        this.targets = targets;
        this.report = report;
    }

    static RecordedRun begin(Path manual, String command) {
        Path directory = manual.resolveSibling("benchmarks");
        return new RecordedRun(
                directory,
                Recording.begin(manual, "targets", command),
                Recording.begin(directory.resolve("full-run.md"), "full-run", command));
    }

    void write(Run run) throws IOException {
        targets.write(
                Table.ofVerdicts(run.verdicts()).markdown().lines().toList());
        report.write(new ReportDirectory(directory)
                .drawn(run)
                .lines()
                .skip(TITLE_LINES)
                .toList());
    }
}
