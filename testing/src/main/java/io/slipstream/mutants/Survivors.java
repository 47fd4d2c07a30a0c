// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The mutants that may survive, with reasons: a table in {@code survivors.md}. */
final class Survivors {
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| (.+) \\|");

    private Survivors() {}

    /** Reasons by name. */
    static Map<String, String> read(Path file) {
        Map<String, String> reasons = new TreeMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                Matcher row = ROW.matcher(line);
                if (row.matches()) {
                    reasons.put(row.group(1), row.group(2));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return reasons;
    }
}
