// SPDX-License-Identifier: Apache-2.0
package io.slipstream.figures;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** A Markdown file with blocks of {@link Figures}. */
final class Manual {
    private static final Pattern NUMBER = Pattern.compile("[-+]?\\d.*");
    /** A row of a recorded table has at least this many cells that begin with a digit. */
    private static final int FEWEST_NUMBERS = 3;

    private static final Pattern CITATION =
            Pattern.compile("(?:[Cc]ommit\\s+`?|\\| slipstream \\| )([0-9a-f]{7,40})\\b");

    private final Path file;

    Manual(Path file) {
        this.file = file;
    }

    /** Returns the blocks in their order. */
    List<Figures> figures() {
        List<Figures> found = new ArrayList<>();
        rewrite(block -> {
            found.add(block);
            return block;
        });
        return found;
    }

    /** Writes the file with each block replaced. */
    void replace(UnaryOperator<Figures> replacement) {
        List<String> lines = rewrite(replacement);
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /** Returns all commits that the text names. */
    List<String> commits() {
        return CITATION.matcher(String.join("\n", lines()))
                .results()
                .map(cited -> cited.group(1))
                .toList();
    }

    /** Returns the rows of recorded tables that stand outside all blocks. */
    List<String> strayRows() {
        List<String> stray = new ArrayList<>();
        boolean inside = false;
        for (String line : lines()) {
            inside = Figures.begun(line).isPresent() || inside && !line.equals(Figures.END);
            if (!inside && line.startsWith("|") && numbers(line) >= FEWEST_NUMBERS) {
                stray.add(line);
            }
        }
        return stray;
    }

    private static long numbers(String row) {
        return Arrays.stream(row.split("\\|"))
                .filter(cell -> NUMBER.matcher(cell.strip()).matches())
                .count();
    }

    /** Returns the lines with each block replaced. */
    private List<String> rewrite(UnaryOperator<Figures> replacement) {
        List<String> rewritten = new ArrayList<>();
        String name = null;
        List<String> block = new ArrayList<>();
        for (String line : lines()) {
            if (name == null) {
                rewritten.add(line);
                name = Figures.begun(line).orElse(null);
                block.clear();
            } else if (line.equals(Figures.END)) {
                rewritten.addAll(
                        replacement.apply(new Figures(name, List.copyOf(block))).lines());
                rewritten.add(line);
                name = null;
            } else {
                block.add(line);
            }
        }
        if (name != null) {
            throw new IllegalArgumentException(file + ": the figures " + name + " have no end");
        }
        return rewritten;
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
