// SPDX-License-Identifier: Apache-2.0
package io.slipstream.figures;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block of recorded figures in a manual. Its lines are
 *
 * <pre>
 * &lt;!-- figures NAME -->
 * Commit `0123456789ab`, 2026-11-24; 12 commits of main code behind.
 *
 * ```
 * $ ./slipstream faults --seeds 5 --record docs/reliability.md
 * ...
 * ```
 * &lt;!-- end of figures -->
 * </pre>
 *
 * <p>A block without a commit holds no figures: neither a table nor a program's output.
 *
 * @param lines between the markers
 */
record Figures(String name, List<String> lines) {
    static final String END = "<!-- end of figures -->";
    private static final Pattern BEGIN = Pattern.compile("<!-- figures (\\S+) -->");
    private static final Pattern COMMIT = Pattern.compile(
            "Commit `([0-9a-f]{7,40})`, (\\d{4}-\\d\\d-\\d\\d); (\\d+) commits? of main code behind\\.");

    /** Returns the name of the block that the line begins. */
    static Optional<String> begun(String line) {
        Matcher begin = BEGIN.matcher(line.strip());
        return begin.matches() ? Optional.of(begin.group(1)) : Optional.empty();
    }

    /**
     * @param output of the command
     * @param tables Markdown beside it
     */
    static Figures of(
            String name, String commit, LocalDate date, String command, List<String> output, List<String> tables) {
        List<String> lines = new ArrayList<>();
        lines.add(commitLine(commit, date.toString(), 0));
        lines.addAll(List.of("", "```", "$ " + command));
        lines.addAll(output);
        lines.addAll(List.of("```", ""));
        lines.addAll(tables);
        return new Figures(name, lines);
    }

    private static String commitLine(String commit, String date, int behind) {
        return "Commit `" + commit + "`, " + date + "; " + behind + (behind == 1 ? " commit" : " commits")
                + " of main code behind.";
    }

    Optional<String> commit() {
        return line().map(line -> line.group(1));
    }

    /** Returns the block with this number of commits. */
    Figures behind(int commits) {
        Matcher old = line().orElseThrow();
        List<String> changed = new ArrayList<>(lines);
        changed.set(0, commitLine(old.group(1), old.group(2), commits));
        return new Figures(name, changed);
    }

    private Optional<Matcher> line() {
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        Matcher line = COMMIT.matcher(lines.get(0));
        return line.matches() ? Optional.of(line) : Optional.empty();
    }

    boolean holdsFigures() {
        return lines.stream().anyMatch(line -> line.startsWith("|") || line.startsWith("```"));
    }
}
