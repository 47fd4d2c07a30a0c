// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.NonceField;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.junit.jupiter.api.Test;

class NonceRequestTest {
    private static final String NONCE = "0123456789abcdef0123456789abcdef";

    @Test
    void shouldCarryTheNonceAndNameNoSoftware() {
        NonceRequest builder = new NonceRequest(NONCE);

        ApiVersionsRequest request = builder.build(builder.latestAllowedVersion());

        assertThat(request.version()).isEqualTo((short) 3);
        assertThat(builder.oldestAllowedVersion()).isEqualTo((short) 3);
        assertThat(request.isValid()).isTrue();
        ByteBuffer wire =
                MessageUtil.toByteBufferAccessor(request.data(), (short) 3).buffer();
        ApiVersionsRequestData read = new ApiVersionsRequestData(new ByteBufferAccessor(wire), (short) 3);
        assertThat(NonceField.in(read.unknownTaggedFields())).isEqualTo(NONCE);
        assertThat(read.clientSoftwareName()).isEqualTo("unknown");
    }
}
