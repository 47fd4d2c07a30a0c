// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

/** A process could not be started. The message gives the cause and the end of the process's log. */
public final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartFailure(String message) {
        super(message);
    }

    public StartFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
