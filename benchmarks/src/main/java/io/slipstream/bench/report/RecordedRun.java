// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;

/**
 * The run that the manual shows: {@code docs/benchmarks/full-run.md} with its plots, and the table of targets in {@code
 * docs/benchmarks.md} between two marks.
 */
public final class RecordedRun {
    static final String BEGIN = "<!-- Written by ./slipstream bench --record: begin -->\n";
    static final String END = "<!-- end -->\n";

    private final Path docs;

    /** @param docs the directory of the manuals */
    public RecordedRun(Path docs) {
        this.docs = docs;
    }

    /** @throws IllegalStateException if the manual has no marks; nothing is written then */
    public void write(Run run, LocalDate day) throws IOException {
        Path manual = docs.resolve("benchmarks.md");
        String text = replaced(Files.readString(manual), section(run, day));
        new ReportDirectory(docs.resolve("benchmarks")).writeMarkdown("full-run.md", "A full run of the benchmark", run);
        Files.writeString(manual, text);
    }

    static String replaced(String manual, String section) {
        int begin = manual.indexOf(BEGIN);
        int end = manual.indexOf(END, begin);
        if (begin < 0 || end < 0) {
            throw new IllegalStateException("benchmarks.md lacks the lines '" + BEGIN.strip() + "' and '" + END.strip()
                    + "' around the table of targets");
        }
        return manual.substring(0, begin + BEGIN.length()) + '\n' + section + '\n' + manual.substring(end);
    }

    static String section(Run run, LocalDate day) {
        return "Commit: " + run.commit() + "\n\n"
                + Prose.wrap(
                        "Measured on " + day + " with `./slipstream bench "
                                + run.settings().getOrDefault("arguments", "") + "`, "
                                + run.machine().getOrDefault("processors", "?") + " processors ("
                                + run.machine().getOrDefault("processor", "?") + "), "
                                + run.machine().getOrDefault("kernel", "?") + ", "
                                + run.machine().getOrDefault("broker", "?") + ", provider "
                                + run.settings().getOrDefault("provider", "?") + ", load before "
                                + run.machine().getOrDefault("load before", "?").split(" ")[0]
                                + ". [All of its tables and plots](benchmarks/full-run.md).",
                        "")
                + '\n' + Table.ofVerdictsBriefly(run.verdicts()).markdown()
                + '\n' + Prose.wrap(run.summary() + ".", "");
    }
}
