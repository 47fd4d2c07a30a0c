// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.util.List;
import java.util.stream.Stream;

/** Parses the output of DumpLogSegments for signs of damage. */
final class DumpLines {
    static final String THROWN = "thrown: ";
    private static final String ERROR = "error: ";
    /** The tool takes -1 as the offset before a segment's first record, whatever the segment's base offset. */
    private static final String BEGINNING = "  -1 is followed by ";
    /** Header of a list that may contain only that entry. */
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

    /** Damage is any output on standard error, an exception, a torn batch, or bytes outside a batch. */
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
