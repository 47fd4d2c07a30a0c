// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.List;

/**
 * One contradiction in a history.
 *
 * @param name Jepsen's name if there is one: {@code lost-write}, {@code poll-skip}, {@code G1a} …
 * @param where the affected partition, consumer, grant …
 * @param what one sentence
 * @param evidence the smallest contradictory part of the history, one line per fact
 */
public record Anomaly(Invariant invariant, String name, String where, String what, List<String> evidence) {
    /** Returns for example {@code I6 poll-skip}, the key for counts and comparison of arms. */
    public String kind() {
        return invariant + " " + name;
    }

    String text() {
        StringBuilder text = new StringBuilder(kind())
                .append(" in ")
                .append(where)
                .append(": ")
                .append(what)
                .append('\n');
        evidence.forEach(line -> text.append("    ").append(line).append('\n'));
        return text.toString();
    }
}
