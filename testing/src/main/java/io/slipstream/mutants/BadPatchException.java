// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

/** A patch has the wrong form, does not apply to the sources, does not compile, or has no tests that can judge it. */
final class BadPatchException extends Exception {
    private static final long serialVersionUID = 1;

    BadPatchException(String message) {
        super(message);
    }
}
