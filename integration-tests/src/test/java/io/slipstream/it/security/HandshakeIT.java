// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.process.BrokerLine;
import io.slipstream.protocol.control.NonceField;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An ApiVersions request during a SASL handshake, before authentication, never reaches the plugin and binds nothing.
 */
@Timeout(120)
class HandshakeIT {
    private static final String NONCE = "slipstream-" + "0".repeat(32);

    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#drawnLines")
    void shouldIgnoreANonceBeforeAuthentication(BrokerLine line) throws Exception {
        try (SecureBroker broker = SecureBroker.start(line, settings -> settings);
                PluginCounts plugin = PluginCounts.of(broker.process());
                RawClient client = RawClient.connect(broker.bootstrapServers(SecureListener.SASL))) {
            show(client);
            assertThat(plugin.get("NONCES_UNKNOWN")).isZero();

            SaslClient.authenticate(client, SecureBroker.ALICE);
            assertThat(plugin.get("NONCES_UNKNOWN")).isZero();
            for (int i = 1; i <= 3; i++) {
                show(client);
                assertThat(plugin.get("NONCES_UNKNOWN")).isEqualTo(i);
            }
            assertThat(broker.process().log())
                    .content()
                    .as("one log line of the refusal with principal and reason")
                    .containsOnlyOnce(
                            "RDMA refused to User:alice: binding its connection, it showed an unknown, used or expired nonce");
        }
    }

    private static void show(RawClient client) throws Exception {
        ApiVersionsRequestData request =
                new ApiVersionsRequestData().setClientSoftwareName("mine").setClientSoftwareVersion("1");
        request.unknownTaggedFields().add(NonceField.of(NONCE));
        ApiVersionsResponseData answer = client.call(3, request, ApiVersionsResponseData.class);
        assertThat(answer.errorCode()).isZero();
    }
}
