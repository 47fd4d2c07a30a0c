package io.slipstream.broker.landing;

import io.slipstream.protocol.control.ControlError;

/** No batches may be placed in a log now; the message says why. */
final class LandingRefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final ControlError error;

    LandingRefusedException(ControlError error, String message) {
        super(message);
        this.error = error;
    }

    ControlError error() {
        return error;
    }
}
