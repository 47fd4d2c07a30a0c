// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.Locale;

/** @param figure null if not measured */
public record Verdict(Target target, Figure figure, Status status) {
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
        if (figure == null) {
            return "";
        }
        return target.rule() == Target.Rule.TIMES_AS_FAST
                ? figure.inverse().text(false) + " times"
                : figure.text(target.metric().isPercent());
    }
}
