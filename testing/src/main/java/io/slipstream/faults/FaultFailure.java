// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

/** A fault could not be injected or healed. The message gives the cause. */
public final class FaultFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public FaultFailure(String message) {
        super(message);
    }

    public FaultFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
