// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestUtils;

/** ApiVersions requests that carry a client software name to the broker. */
final class NonceFrame {
    /** The first version with a client software name. */
    private static final short VERSION = 3;

    private NonceFrame() {}

    /** A frame from the header on, without the size. {@code clientId} may be null. */
    static ByteBuf of(String clientId, String softwareName, String softwareVersion) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(ApiKeys.API_VERSIONS.id)
                .setRequestApiVersion(VERSION)
                .setCorrelationId(0)
                .setClientId(clientId);
        ApiVersionsRequestData body = new ApiVersionsRequestData()
                .setClientSoftwareName(softwareName)
                .setClientSoftwareVersion(softwareVersion);
        return Unpooled.wrappedBuffer(
                RequestUtils.serialize(header, ApiKeys.API_VERSIONS.requestHeaderVersion(VERSION), body, VERSION));
    }

    /** Whether the broker answered without an error; the response has a version 0 header in every version. */
    static boolean isAccepted(ByteBuf response) {
        return response.readableBytes() >= 6 && response.getShort(response.readerIndex() + 4) == 0;
    }
}
