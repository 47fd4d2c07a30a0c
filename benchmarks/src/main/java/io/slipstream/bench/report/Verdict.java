// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.Locale;

/**
 * @param figure null if not measured
 * @param floor the same metric of the echo floor, which no proxy can be below; null if it was not measured
 */
public record Verdict(Target target, Figure figure, Figure floor, Status status) {
    /** Result of a target in a run. */
    public enum Status {
        MET,
        MISSED,
        /** The rounds do not agree, or there was only one. */
        UNDECIDED,
        NOT_MEASURED;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    String seen() {
        return text(figure);
    }

    String floorSeen() {
        return text(floor);
    }

    private String text(Figure shown) {
        if (shown == null) {
            return "";
        }
        return target.rule() == Target.Rule.TIMES_AS_FAST
                ? shown.inverse().text(false) + " times"
                : shown.text(target.metric().isPercent());
    }
}
