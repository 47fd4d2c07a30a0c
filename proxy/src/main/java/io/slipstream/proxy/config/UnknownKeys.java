// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.config.ConfigException;

/** Refuses undefined keys and suggests similar ones. */
final class UnknownKeys {
    private static final int MAX_SUGGESTIONS = 3;

    private UnknownKeys() {}

    static void refuse(Collection<String> given, Collection<String> known) {
        for (String key : given) {
            if (!known.contains(key)) {
                List<String> near = near(key, known);
                throw new ConfigException("Unknown configuration key '" + key + "'"
                        + (near.isEmpty() ? "" : "; did you mean " + String.join(", ", near) + "?"));
            }
        }
    }

    /**
     * Known keys within an edit distance of a third of the key's length, or that contain it or are contained in it;
     * nearest first.
     */
    static List<String> near(String key, Collection<String> known) {
        int tolerance = Math.max(2, key.length() / 3);
        return known.stream()
                .filter(candidate ->
                        distance(key, candidate) <= tolerance || candidate.contains(key) || key.contains(candidate))
                .sorted(Comparator.comparingInt((String candidate) -> distance(key, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MAX_SUGGESTIONS)
                .toList();
    }

    /**
     * Levenshtein distance: the number of insertions, deletions and substitutions that change one string into the
     * other.
     */
    static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int substituted = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[right.length()];
    }
}
