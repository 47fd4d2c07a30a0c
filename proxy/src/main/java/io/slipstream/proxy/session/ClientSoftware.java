// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.protocol.control.NonceField;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * The client software's name as the broker knows it, from the client's last ApiVersions request; without one it is
 * {@code unknown}. Requests of the proxy itself on the client's connection carry it, because the broker names a
 * connection by its last ApiVersions request.
 */
final class ClientSoftware {
    private static final String UNKNOWN = "unknown";
    private static final short FIRST_NAMED_VERSION = 3;
    private static final short HEADER_VERSION = 2;
    /** Legal, and unused by clients, which count up from 0. */
    private static final int CORRELATION_ID = -2;
    /** Larger requests are not parsed. */
    private static final int MAX_BYTES = 4096;

    private static final int MOST_SHOWN = 64;

    private String name = UNKNOWN;
    private String version = UNKNOWN;

    void learn(RequestSlot slot) {
        if (slot.apiVersion < FIRST_NAMED_VERSION) {
            name = UNKNOWN;
            version = UNKNOWN;
        } else if (slot.apiVersion <= ApiKeys.API_VERSIONS.latestVersion(true) && slot.requestBytes <= MAX_BYTES) {
            learn(slot.frame(), slot.apiVersion);
        }
    }

    private void learn(ByteBuf frame, short apiVersion) {
        try {
            ByteBufferAccessor readable = new ByteBufferAccessor(frame.nioBuffer());
            new RequestHeaderData(readable, HEADER_VERSION);
            ApiVersionsRequestData request = new ApiVersionsRequestData(readable, apiVersion);
            if (new ApiVersionsRequest(request, apiVersion).isValid()) {
                name = request.clientSoftwareName();
                version = request.clientSoftwareVersion();
            }
        } catch (RuntimeException malformed) {
            // The broker will report the error.
        }
    }

    /**
     * An ApiVersions request in the client's name, from its header on, without the size.
     *
     * @param clientId may be null
     * @param nonce null for none
     */
    ByteBuf apiVersions(String clientId, String nonce) {
        RequestHeader header = new RequestHeader(ApiKeys.API_VERSIONS, FIRST_NAMED_VERSION, clientId, CORRELATION_ID);
        ApiVersionsRequestData body =
                new ApiVersionsRequestData().setClientSoftwareName(name).setClientSoftwareVersion(version);
        if (nonce != null) {
            body.unknownTaggedFields().add(NonceField.of(nonce));
        }
        return Unpooled.wrappedBuffer(new ApiVersionsRequest(body, FIRST_NAMED_VERSION).serializeWithHeader(header));
    }

    /** For display; truncated if long. */
    String describe() {
        String both = name + " " + version;
        return both.substring(0, Math.min(both.length(), MOST_SHOWN));
    }
}
