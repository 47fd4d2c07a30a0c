// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/** The client software's name in its ApiVersions requests; {@code unknown} without one. */
final class ClientSoftware {
    private static final String UNKNOWN = "unknown";
    private static final short FIRST_NAMED_VERSION = 3;
    private static final short HEADER_VERSION = 2;
    /** Larger requests are not parsed. */
    private static final int MAX_BYTES = 4096;

    private static final int MOST_SHOWN = 64;

    String name = UNKNOWN;
    String version = UNKNOWN;

    void learn(RequestSlot slot) {
        if (slot.apiVersion < FIRST_NAMED_VERSION
                || slot.apiVersion > ApiKeys.API_VERSIONS.latestVersion(true)
                || slot.requestBytes > MAX_BYTES) {
            return;
        }
        ByteBuf frame = slot.frame();
        try {
            ByteBufferAccessor readable = new ByteBufferAccessor(frame.nioBuffer());
            new RequestHeaderData(readable, HEADER_VERSION);
            ApiVersionsRequestData request = new ApiVersionsRequestData(readable, slot.apiVersion);
            name = request.clientSoftwareName().isEmpty() ? UNKNOWN : request.clientSoftwareName();
            version = request.clientSoftwareVersion().isEmpty() ? UNKNOWN : request.clientSoftwareVersion();
        } catch (RuntimeException malformed) {
            // The broker will report the error.
            name = UNKNOWN;
            version = UNKNOWN;
        }
    }

    /** For display; truncated if long. */
    String describe() {
        String both = name + " " + version;
        return both.substring(0, Math.min(both.length(), MOST_SHOWN));
    }
}
