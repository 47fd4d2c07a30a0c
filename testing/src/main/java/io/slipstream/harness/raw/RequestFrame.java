// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * One encoded, reusable Kafka request: {@code size i32 | header | body}. Not safe for concurrent use: setting the
 * correlation id changes it in place.
 */
public final class RequestFrame {
    /** size i32, apiKey i16, apiVersion i16, then the correlation id, in every header version. */
    private static final int CORRELATION_ID_OFFSET = 8;

    private final ApiKeys api;
    private final short version;
    private final ByteBuffer frame;

    private RequestFrame(ApiKeys api, short version, ByteBuffer frame) {
        this.api = api;
        this.version = version;
        this.frame = frame;
    }

    /**
     * Encodes a request of this version into a direct buffer.
     *
     * @throws org.apache.kafka.common.errors.UnsupportedVersionException if a set field does not exist in this version
     */
    public static RequestFrame of(short version, ApiMessage body) {
        return of(version, body, "raw");
    }

    /** The same with a client id. */
    public static RequestFrame of(short version, ApiMessage body, String clientId) {
        ApiKeys api = ApiKeys.forId(body.apiKey());
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion(version)
                .setClientId(clientId);
        short headerVersion = api.requestHeaderVersion(version);
        ObjectSerializationCache headerCache = new ObjectSerializationCache();
        ObjectSerializationCache bodyCache = new ObjectSerializationCache();
        int sizeBytes = header.size(headerCache, headerVersion) + body.size(bodyCache, version);
        ByteBuffer frame = ByteBuffer.allocateDirect(Integer.BYTES + sizeBytes);
        frame.putInt(sizeBytes);
        ByteBufferAccessor writable = new ByteBufferAccessor(frame);
        header.write(writable, headerCache, headerVersion);
        body.write(writable, bodyCache, version);
        frame.flip();
        return new RequestFrame(api, version, frame);
    }

    /**
     * Wraps arbitrary bytes, with or without size, as a broken or hostile client would send. A response is decoded as
     * one of {@code api}.
     */
    public static RequestFrame ofBytes(ApiKeys api, short version, ByteBuffer bytes) {
        return new RequestFrame(api, version, bytes);
    }

    public ApiKeys api() {
        return api;
    }

    public short version() {
        return version;
    }

    public RequestFrame withCorrelationId(int correlationId) {
        frame.putInt(CORRELATION_ID_OFFSET, correlationId);
        return this;
    }

    public int correlationId() {
        return frame.getInt(CORRELATION_ID_OFFSET);
    }

    public int sizeBytes() {
        return frame.limit();
    }

    /** Returns the whole frame as an independent view. */
    public ByteBuffer bytes() {
        return frame.duplicate();
    }
}
