// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

/** The peer violated the ring protocol. The link must be closed. */
public final class IllegalFrameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    IllegalFrameException(String message) {
        super(message, null, false, false);
    }
}
