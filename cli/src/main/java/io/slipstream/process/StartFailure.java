// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

/** A process could not be brought up; the message says why and carries the end of its log. */
public final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartFailure(String message) {
        super(message);
    }

    public StartFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
