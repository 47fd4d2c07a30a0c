// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a patch: the lines "Bug: " and "Tests: ", which may be continued by indented lines, and a unified diff. */
final class PatchParser {
    private static final Pattern RANGE = Pattern.compile("@@ -(\\d+)(?:,\\d+)? \\+\\d+(?:,\\d+)? @@.*");

    private final String name;
    private final StringBuilder bug = new StringBuilder();
    private final StringBuilder tests = new StringBuilder();
    private final List<FileChange> changes = new ArrayList<>();
    private StringBuilder header;
    private Hunk hunk;

    private PatchParser(String name) {
        this.name = name;
    }

    static Mutant parse(String name, List<String> lines) throws BadPatchException {
        PatchParser parser = new PatchParser(name);
        for (String line : lines) {
            parser.accept(line);
        }
        return parser.mutant();
    }

    private void accept(String line) throws BadPatchException {
        Matcher range = RANGE.matcher(line);
        if (range.matches()) {
            hunk = new Hunk(Integer.parseInt(range.group(1)) - 1, new ArrayList<>(), new ArrayList<>());
            lastFile().hunks().add(hunk);
        } else if (line.startsWith("diff ") || line.startsWith("--- ") && hunk == null) {
            hunk = null;
            header = null;
        } else if (line.startsWith("+++ ") && hunk == null) {
            changes.add(new FileChange(Path.of(line.substring("+++ b/".length())), new ArrayList<>()));
        } else if (hunk != null) {
            change(line);
        } else if (changes.isEmpty()) {
            describe(line);
        }
    }

    private FileChange lastFile() throws BadPatchException {
        if (changes.isEmpty()) {
            throw new BadPatchException(name + " changes lines of no file");
        }
        return changes.get(changes.size() - 1);
    }

    private void change(String line) throws BadPatchException {
        String text = line.isEmpty() ? "" : line.substring(1);
        switch (line.isEmpty() ? ' ' : line.charAt(0)) {
            case ' ' -> {
                hunk.before().add(text);
                hunk.after().add(text);
            }
            case '-' -> hunk.before().add(text);
            case '+' -> hunk.after().add(text);
            default -> throw new BadPatchException(name + " has a line without a sign: " + line);
        }
    }

    private void describe(String line) {
        if (line.startsWith("Bug: ")) {
            header = bug;
        } else if (line.startsWith("Tests: ")) {
            header = tests;
        } else if (!line.startsWith(" ")) {
            header = null;
        }
        if (header != null) {
            header.append(header.isEmpty() ? "" : " ").append(line.replaceFirst("^(Bug:|Tests:)? +", ""));
        }
    }

    private Mutant mutant() throws BadPatchException {
        if (bug.isEmpty()
                || tests.isEmpty()
                || changes.isEmpty()
                || lastFile().hunks().isEmpty()) {
            throw new BadPatchException(name + " must have a bug, tests and changes");
        }
        List<TestPattern> patterns = new ArrayList<>();
        for (String test : tests.toString().split(" +")) {
            patterns.add(TestPattern.of(test));
        }
        return new Mutant(name, bug.toString(), patterns, changes);
    }
}
