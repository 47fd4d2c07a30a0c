// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.util.List;
import java.util.stream.Stream;

/** What DumpLogSegments prints, and which of it tells of damage. */
final class DumpLines {
    static final String THROWN = "thrown: ";
    private static final String ERROR = "error: ";
    /** The tool takes the offset before a segment's first record for -1, wherever the segment begins. */
    private static final String BEGINNING = "  -1 is followed by ";
    /** Heads a list that may consist of that alone. */
    private static final String GAPS = "Non-consecutive offsets in ";

    private DumpLines() {}

    static List<String> of(String out, String err, String thrown) {
        return Stream.concat(
                        out.lines(),
                        Stream.concat(err.lines(), thrown.isEmpty() ? Stream.empty() : Stream.of(thrown))
                                .filter(line -> !line.isBlank())
                                .map(line -> line.startsWith(THROWN) ? line : ERROR + line))
                .toList();
    }

    static boolean isBatch(String line) {
        return line.startsWith("baseOffset: ");
    }

    /** Whatever is said on standard error or thrown, torn batches and bytes that belong to none. */
    static boolean isDamage(String line) {
        if (line.startsWith(ERROR)) {
            String said = line.substring(ERROR.length());
            return !said.startsWith(BEGINNING) && !said.startsWith(GAPS);
        }
        return line.startsWith(THROWN)
                || isBatch(line) && line.contains(" isvalid: false")
                || line.startsWith("Found ") && line.contains(" invalid bytes at the end of ");
    }
}
