// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

/**
 * One line of the doctor's report.
 *
 * @param remedy what to do; empty if nothing
 */
record Finding(Grade grade, String subject, String state, String remedy) {
    enum Grade {
        /** Works. */
        OK,
        /** Works, but less well, or something optional is missing. */
        WARN,
        /** Slipstream will not work until this is remedied. */
        FAIL
    }

    static Finding ok(String subject, String state) {
        return new Finding(Grade.OK, subject, state, "");
    }

    static Finding warn(String subject, String state, String remedy) {
        return new Finding(Grade.WARN, subject, state, remedy);
    }

    static Finding fail(String subject, String state, String remedy) {
        return new Finding(Grade.FAIL, subject, state, remedy);
    }

    String toLine() {
        return "%-4s  %-18s %s%s"
                .formatted(grade, subject, state, remedy.isEmpty() ? "" : "\n" + " ".repeat(25) + "→ " + remedy);
    }
}
