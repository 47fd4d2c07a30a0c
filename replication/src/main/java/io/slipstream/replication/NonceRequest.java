// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.slipstream.protocol.control.NonceField;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;

/**
 * Builds an ApiVersions request that shows a nonce to the leader's plugin. Senders of fetches name no software, so
 * neither does this.
 */
final class NonceRequest extends AbstractRequest.Builder<ApiVersionsRequest> {
    /** The first with a name of software, as docs/protocol.md asks for. Each supported broker has it. */
    private static final short VERSION = 3;

    private final String nonce;

    NonceRequest(String nonce) {
        super(ApiKeys.API_VERSIONS, VERSION, VERSION);
        this.nonce = nonce;
    }

    @Override
    public ApiVersionsRequest build(short version) {
        ApiVersionsRequestData data = new ApiVersionsRequestData()
                .setClientSoftwareName(ClientInformation.UNKNOWN_NAME_OR_VERSION)
                .setClientSoftwareVersion(ClientInformation.UNKNOWN_NAME_OR_VERSION);
        data.unknownTaggedFields().add(NonceField.of(nonce));
        return new ApiVersionsRequest(data, version);
    }
}
