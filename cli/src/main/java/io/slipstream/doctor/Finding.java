// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

/**
 * One line of the doctor's report.
 *
 * @param remedy what the operator can do; empty if nothing is needed
 */
record Finding(Grade grade, String subject, String state, String remedy) {
    enum Grade {
        /** The prerequisite is met. */
        OK,
        /** Slipstream works, but with lower performance or without an optional part. */
        WARN,
        /** Slipstream does not work until this is fixed. */
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
