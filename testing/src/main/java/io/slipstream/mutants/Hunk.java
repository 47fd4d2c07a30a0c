// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.util.List;

/**
 * Consecutive lines of a file and their replacement.
 *
 * @param line where the lines begin, from 0; they may have moved since
 */
record Hunk(int line, List<String> before, List<String> after) {
    /** Index of the lines nearest to where they were, not before {@code from}; -1 if they are not there. */
    int find(List<String> lines, int from) {
        int nearest = -1;
        for (int at = from; at + before.size() <= lines.size(); at++) {
            if (lines.subList(at, at + before.size()).equals(before)
                    && (nearest < 0 || Math.abs(at - line) < Math.abs(nearest - line))) {
                nearest = at;
            }
        }
        return nearest;
    }
}
