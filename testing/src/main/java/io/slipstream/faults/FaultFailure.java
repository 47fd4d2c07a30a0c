// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

/** A fault could not be made, or not be healed; says why. */
public final class FaultFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public FaultFailure(String message) {
        super(message);
    }

    public FaultFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
