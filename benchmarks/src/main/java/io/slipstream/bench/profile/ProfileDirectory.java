// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The output directory of profiles: for each a flame graph and its stacks as text, and one summary. Not safe for
 * concurrent use.
 */
public final class ProfileDirectory {
    private static final String SUMMARY = "summary.md";
    private static final String SENTENCE =
            "# Profiles\n\nSamples of what ran on a processor, by %s; each measurement was made once more for them. A stack belongs to the innermost of its "
                    + "frames that a category names; columns of threads are in %% of all samples of the process.\n\n";

    private final Path directory;
    private final List<String> sections = new ArrayList<>();

    /** Creates the directory if needed. */
    public ProfileDirectory(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory.toAbsolutePath().normalize());
    }

    /** Joins the parts in lower case with only letters, digits, dashes and underscores. */
    static String fileName(List<String> parts) {
        return String.join(
                "-",
                parts.stream()
                        .map(part -> part.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]", "_"))
                        .toList());
    }

    /** Ends the recording, stores it under this name, and adds it to the summary. */
    public void add(
            Profiler.Recording recording, List<String> nameParts, String title, double units, String unit, String event)
            throws IOException {
        String name = fileName(nameParts);
        Path collapsed = directory.resolve(name + ".txt");
        recording.write(directory.resolve(name + ".html"), collapsed, title);
        sections.add(Profile.of(title, Files.readAllLines(collapsed), units, unit, Profiler.INTERVAL_NS)
                        .markdown() + "\n[flame graph](" + name + ".html), [stacks](" + name + ".txt)\n");
        // Rewritten each time, so that an interrupted run has a summary.
        Files.writeString(
                directory.resolve(SUMMARY),
                String.format(Locale.ROOT, SENTENCE, "`" + event + "`") + String.join("\n", sections));
    }
}
