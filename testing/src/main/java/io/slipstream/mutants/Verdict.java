// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

/**
 * What became of a mutant.
 *
 * @param detail the test that failed, or why it could not run
 */
record Verdict(Mutant mutant, Kind kind, String detail, double seconds) {
    enum Kind {
        KILLED,
        SURVIVED,
        /** The patch no longer applies, or the result does not compile. */
        BAD_PATCH
    }
}
