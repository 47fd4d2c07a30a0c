// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.ControlError;

/** A question about a log is refused. The message is for operators; the broker itself must answer the client. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final ControlError error;

    public RefusedException(ControlError error, String message) {
        super(message, null, false, false);
        this.error = error;
    }
}
