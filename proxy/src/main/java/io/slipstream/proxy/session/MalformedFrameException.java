// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.slipstream.link.meter.DisconnectCause;

/** A peer sent bytes that no Kafka peer sends. The connection must be closed; nothing was allocated for the frame. */
public final class MalformedFrameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public final DisconnectCause disconnectCause;

    MalformedFrameException(DisconnectCause disconnectCause, String message) {
        super(message, null, false, false);
        this.disconnectCause = disconnectCause;
    }
}
