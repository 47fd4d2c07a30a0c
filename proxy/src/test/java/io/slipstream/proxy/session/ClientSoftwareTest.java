// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.protocol.control.NonceField;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.junit.jupiter.api.Test;

/** The proxy's own requests on a client's connection, as Kafka's own classes read them. */
class ClientSoftwareTest {
    private final ClientSoftware software = new ClientSoftware();

    private void send(int version, String name, String softwareVersion) {
        RequestHeader header = new RequestHeader(ApiKeys.API_VERSIONS, (short) version, "c", 7);
        ApiVersionsRequestData body = version < 3
                ? new ApiVersionsRequestData()
                : new ApiVersionsRequestData().setClientSoftwareName(name).setClientSoftwareVersion(softwareVersion);
        ByteBuffer frame = RequestUtils.serialize(header.data(), header.headerVersion(), body, (short) version);
        RequestSlot slot = new RequestSlot(null);
        slot.apiVersion = (short) version;
        slot.requestBytes = frame.remaining();
        slot.wire = Unpooled.buffer().writeInt(frame.remaining()).writeBytes(frame);
        software.learn(slot);
        slot.releaseRequest();
    }

    private ApiVersionsRequest own(String nonce) {
        ByteBuf frame = software.apiVersions("my-id", nonce);
        ByteBuffer bytes = frame.nioBuffer();
        RequestHeader header = RequestHeader.parse(bytes);
        assertThat(header.apiKey()).isEqualTo(ApiKeys.API_VERSIONS);
        assertThat(header.clientId()).isEqualTo("my-id");
        ApiVersionsRequest request = ApiVersionsRequest.parse(new ByteBufferAccessor(bytes), header.apiVersion());
        assertThat(bytes.remaining()).isZero();
        assertThat(request.isValid()).isTrue();
        return request;
    }

    private String ownName() {
        ApiVersionsRequestData data = own(null).data();
        assertThat(NonceField.in(data.unknownTaggedFields())).isNull();
        return data.clientSoftwareName() + " " + data.clientSoftwareVersion();
    }

    @Test
    void shouldCarryTheNameThatTheClientSentLast() {
        assertThat(ownName()).isEqualTo("unknown unknown");
        send(3, "first", "1.0");
        assertThat(ownName()).isEqualTo("first 1.0");
        send(4, "second", "2.0");
        assertThat(ownName()).isEqualTo("second 2.0");
        send(3, "not legal!", "3.0");
        assertThat(ownName())
                .as("the broker refuses the request and keeps the name")
                .isEqualTo("second 2.0");
        send(0, null, null);
        assertThat(ownName()).as("as the broker calls it now").isEqualTo("unknown unknown");
    }

    @Test
    void shouldCarryANonceBesideTheName() {
        send(3, "mine", "1.0");
        ApiVersionsRequestData data = own("slipstream-00ff").data();
        assertThat(data.clientSoftwareName()).isEqualTo("mine");
        assertThat(NonceField.in(data.unknownTaggedFields())).isEqualTo("slipstream-00ff");
    }
}
