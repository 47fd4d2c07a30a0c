// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/**
 * A control frame cannot be decoded: unknown api or version, length beyond the frame, trailing bytes, or illegal value.
 * The receiver must not read further frames from that connection.
 */
public final class MalformedControlMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Null if the frame contained none. */
    final transient ControlCodec.Header header;

    MalformedControlMessageException(String message, Throwable cause, ControlCodec.Header header) {
        super(message, cause);
        this.header = header;
    }

    /** Whether the frame contained a header, so that it can be answered. */
    public boolean correlationIdKnown() {
        return header != null;
    }

    /** Whether the message is one that older releases asked with: it is to be refused, and the connection may stay. */
    public boolean isOfRetiredApi() {
        return header != null && ControlApi.isRetired(header.key());
    }

    public int correlationId() {
        return header.correlationId();
    }
}
