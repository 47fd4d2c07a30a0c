// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/**
 * A control frame cannot be decoded: unknown api or version, length beyond the frame, trailing bytes, or illegal value.
 * The receiver must not read further frames from that connection.
 */
public final class MalformedControlMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean correlationIdKnown;
    private final short apiKey;
    private final short apiVersion;
    private final int correlationId;

    private MalformedControlMessageException(
            String message, Throwable cause, boolean known, short apiKey, short apiVersion, int correlationId) {
        super(message, cause);
        this.correlationIdKnown = known;
        this.apiKey = apiKey;
        this.apiVersion = apiVersion;
        this.correlationId = correlationId;
    }

    static MalformedControlMessageException withoutHeader(String message) {
        return new MalformedControlMessageException(message, null, false, (short) -1, (short) -1, 0);
    }

    static MalformedControlMessageException of(
            String message, Throwable cause, short apiKey, short apiVersion, int correlationId) {
        return new MalformedControlMessageException(message, cause, true, apiKey, apiVersion, correlationId);
    }

    /** Whether the frame contained a header; only then are the other three accessors valid. */
    public boolean correlationIdKnown() {
        return correlationIdKnown;
    }

    public short apiKey() {
        return apiKey;
    }

    /** Whether the message is one that older releases asked with: it is to be refused, and the connection may stay. */
    public boolean isOfRetiredApi() {
        return ControlApi.isRetired(apiKey);
    }

    public short apiVersion() {
        return apiVersion;
    }

    public int correlationId() {
        return correlationId;
    }
}
