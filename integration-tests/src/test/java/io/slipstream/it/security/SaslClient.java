// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import io.slipstream.harness.raw.PlainLogin;
import io.slipstream.harness.raw.RawClient;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;

/** Raw clients that authenticate with PLAIN only on request. */
final class SaslClient {
    private SaslClient() {}

    /**
     * Returns the address of the only broker for clients of a proxy or broker: the proxy learns the cluster from
     * answers to clients.
     */
    static String onlyBroker(String bootstrap, String user) throws IOException {
        try (RawClient client = RawClient.connect(bootstrap)) {
            authenticate(client, user);
            MetadataResponseData metadata =
                    client.call(12, new MetadataRequestData().setTopics(List.of()), MetadataResponseData.class);
            MetadataResponseBroker broker = metadata.brokers().iterator().next();
            return broker.host() + ":" + broker.port();
        }
    }

    /** Returns the session lifetime in milliseconds. */
    static long authenticate(RawClient client, String user) throws IOException {
        return PlainLogin.of(client, user);
    }

    static SaslAuthenticateRequestData credentials(String user) {
        return PlainLogin.credentials(user);
    }
}
