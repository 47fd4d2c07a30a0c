// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

/**
 * What became of a mutant.
 *
 * @param detail the test that failed, or why it was not judged
 */
record Verdict(Mutant mutant, Kind kind, String detail, double seconds) {
    enum Kind {
        KILLED,
        SURVIVED,
        /** The patch does not apply, the result does not compile, or a test fails without it, too. */
        NOT_JUDGED
    }
}
