// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

/** The peer broke the protocol of the rings; the link cannot go on. */
public final class IllegalFrameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    IllegalFrameException(String message) {
        super(message, null, false, false);
    }
}
