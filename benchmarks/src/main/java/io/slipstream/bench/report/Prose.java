// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

/** Breaks sentences of a Markdown file into lines. */
final class Prose {
    private static final int WIDTH = 120;

    private Prose() {}

    /**
     * Returns lines of at most 120 columns, unless a single word is longer, each with a line end.
     *
     * @param indent blanks before all lines but the first
     */
    static String wrap(String text, String indent) {
        StringBuilder wrapped = new StringBuilder();
        StringBuilder line = new StringBuilder();
        for (String word : text.strip().split("\\s+")) {
            if (!line.toString().isBlank() && line.length() + 1 + word.length() > WIDTH) {
                wrapped.append(line).append('\n');
                line.setLength(0);
                line.append(indent).append(word);
            } else {
                line.append(line.length() == 0 ? "" : " ").append(word);
            }
        }
        return wrapped.append(line).append('\n').toString();
    }
}
