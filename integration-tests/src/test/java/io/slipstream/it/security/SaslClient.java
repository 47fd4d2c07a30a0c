package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Raw clients that authenticate by PLAIN, when they are told to and never by themselves. */
final class SaslClient {
    private SaslClient() {}

    /** Where clients of that proxy, or broker, find its only broker: the proxy learns the cluster from what clients are answered. */
    static String onlyBroker(String bootstrap, String user) throws IOException {
        try (RawClient client = RawClient.connect(bootstrap)) {
            authenticate(client, user);
            MetadataResponseData metadata =
                    client.call(12, new MetadataRequestData().setTopics(List.of()), MetadataResponseData.class);
            MetadataResponseBroker broker = metadata.brokers().iterator().next();
            return broker.host() + ":" + broker.port();
        }
    }

    /** Returns the session's lifetime in milliseconds. */
    static long authenticate(RawClient client, String user) throws IOException {
        SaslHandshakeResponseData handshake =
                client.call(1, new SaslHandshakeRequestData().setMechanism("PLAIN"), SaslHandshakeResponseData.class);
        assertThat(Errors.forCode(handshake.errorCode())).isEqualTo(Errors.NONE);
        SaslAuthenticateResponseData answer = client.call(2, credentials(user), SaslAuthenticateResponseData.class);
        assertThat(Errors.forCode(answer.errorCode())).as(answer.errorMessage()).isEqualTo(Errors.NONE);
        return answer.sessionLifetimeMs();
    }

    static SaslAuthenticateRequestData credentials(String user) {
        String token = "\0" + user + "\0" + user + "-secret";
        return new SaslAuthenticateRequestData().setAuthBytes(token.getBytes(StandardCharsets.UTF_8));
    }
}
