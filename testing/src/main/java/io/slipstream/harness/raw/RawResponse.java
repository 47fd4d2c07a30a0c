// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * A response, raw and decoded.
 *
 * @param frame the bytes from the response header on, without the size; read-only
 * @param body the decoded body
 */
public record RawResponse(ApiKeys api, short version, int correlationId, ByteBuffer frame, ApiMessage body) {
    /**
     * Decodes a frame (from the header on, without size).
     *
     * @throws IllegalStateException on trailing bytes, a framing bug of the server
     */
    static RawResponse decode(ApiKeys api, short version, ByteBuffer frame) {
        ByteBufferAccessor readable = new ByteBufferAccessor(frame.duplicate());
        ResponseHeaderData header = new ResponseHeaderData(readable, api.responseHeaderVersion(version));
        ApiMessage body = ApiMessageType.fromApiKey(api.id).newResponse();
        body.read(readable, version);
        if (readable.remaining() != 0) {
            throw new IllegalStateException(
                    readable.remaining() + " bytes left over after the " + api + " response v" + version);
        }
        return new RawResponse(api, version, header.correlationId(), frame.asReadOnlyBuffer(), body);
    }

    /** Returns the body as its type. */
    public <T extends ApiMessage> T as(Class<T> type) {
        return type.cast(body);
    }
}
