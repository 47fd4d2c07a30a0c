// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

/** A response arrived whose request was not the next one to be answered. */
public final class ResponseOrderException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final int correlationId;

    ResponseOrderException(int correlationId, String due) {
        super("response out of order: correlation id " + correlationId + " arrived, " + due + " was due");
        this.correlationId = correlationId;
    }

    /** Returns the id in the response. */
    public int correlationId() {
        return correlationId;
    }
}
