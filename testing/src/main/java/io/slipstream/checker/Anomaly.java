// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.List;

/**
 * One contradiction in a history.
 *
 * @param name Jepsen's where it has one: {@code lost-write}, {@code poll-skip}, {@code G1a} …
 * @param where the partition, consumer, grant … in which it shows
 * @param what in one sentence
 * @param evidence the smallest part of the history that contradicts itself, a line for each fact
 */
public record Anomaly(Invariant invariant, String name, String where, String what, List<String> evidence) {
    /** {@code I6 poll-skip}, by which anomalies are counted and arms are compared. */
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
