// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.client.RingClient.Reply;
import io.slipstream.harness.raw.PlainLogin;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.BrokerSecurity;
import io.slipstream.protocol.control.NonceField;
import io.slipstream.protocol.ring.RingFrame;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Who may fetch by the ring: a follower with CLUSTER_ACTION, whose connection came to the inter-broker listener. Anyone
 * on the listener CLIENTS is a super user, and still no follower.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class FollowerAccessIT {
    private static final short VERSION = 17;
    private static final String JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"admin\" password=\"admin-secret\"";
    private static final Map<String, Object> ADMIN =
            Map.of("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN", "sasl.jaas.config", JAAS + ";");

    private BrokerProcess broker;
    private Uuid topicId;

    @BeforeAll
    void start() throws Exception {
        BrokerSecurity security =
                new BrokerSecurity(SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.PLAINTEXT, List.of(), ADMIN);
        broker = PluginBroker.start(BrokerProcess.builder(BrokerLine.NEWEST)
                .secured(security)
                .listener("CLIENTS", "PLAINTEXT")
                .property("sasl.enabled.mechanisms", "PLAIN")
                .property("sasl.mechanism.inter.broker.protocol", "PLAIN")
                .property(
                        "listener.name.sasl_plaintext.plain.sasl.jaas.config",
                        JAAS + " user_admin=\"admin-secret\" user_alice=\"alice-secret\";")
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("super.users", "User:admin;User:ANONYMOUS"));
        Map<String, Object> settings = new java.util.HashMap<>(ADMIN);
        settings.put("bootstrap.servers", broker.bootstrapServers());
        try (Admin admin = Admin.create(settings)) {
            topicId = admin.createTopics(List.of(new NewTopic("replicated", 1, (short) 1)))
                    .topicId("replicated")
                    .get(30, TimeUnit.SECONDS);
            Leaders.await(admin, new TopicPartition("replicated", 0));
        }
    }

    @AfterAll
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    private FetchRequest fetch() {
        FetchRequest.PartitionData from = new FetchRequest.PartitionData(topicId, 0, 0, 1 << 20, Optional.empty());
        return FetchRequest.Builder.forReplica(VERSION, 2, 1, 0, 0, Map.of(new TopicPartition("replicated", 0), from))
                .build();
    }

    private static void show(RawClient client, String nonce) throws IOException {
        ApiVersionsRequestData request =
                new ApiVersionsRequestData().setClientSoftwareName("unknown").setClientSoftwareVersion("unknown");
        request.unknownTaggedFields().add(NonceField.of(nonce));
        assertThat(client.call(3, request, ApiVersionsResponseData.class).errorCode())
                .isZero();
    }

    /** Sends a follower's Fetch on the ring, bound to that connection. */
    private Reply byRing(RawClient connection) throws Exception {
        try (ControlClient control = new ControlClient(broker.pluginSocket());
                RingClient ring = new RingClient(control, 16)) {
            int session = ring.bind(nonce -> show(connection, nonce));
            return ring.await(ring.send(
                    session, fetch().serializeWithHeader(new RequestHeader(ApiKeys.FETCH, VERSION, "follower", 1))));
        }
    }

    /** The answer by the ring, which must be that over TCP. */
    private Errors answerTo(String user) throws Exception {
        try (RawClient connection = RawClient.connect(broker.bootstrapServers())) {
            PlainLogin.of(connection, user);
            FetchResponseData byTcp = connection.call(VERSION, fetch().data(), FetchResponseData.class);

            Reply reply = byRing(connection);

            assertThat(reply.flags()).isZero();
            AbstractResponse byRing = AbstractResponse.parseResponse(
                    reply.payload(), new RequestHeader(ApiKeys.FETCH, VERSION, "follower", 1));
            assertThat(byRing.data()).isEqualTo(byTcp);
            return Errors.forCode(byTcp.responses().get(0).partitions().get(0).errorCode());
        }
    }

    @Test
    void shouldGiveAPrincipalWithoutClusterActionTheBrokersError() throws Exception {
        assertThat(answerTo("alice")).isEqualTo(Errors.TOPIC_AUTHORIZATION_FAILED);
    }

    /** The broker knows no replica 2 of this partition, and says so. */
    @Test
    void shouldHandleAFetchOfAPrincipalWithClusterAction() throws Exception {
        assertThat(answerTo("admin")).isNotIn(Errors.TOPIC_AUTHORIZATION_FAILED, Errors.CLUSTER_AUTHORIZATION_FAILED);
    }

    @Test
    void shouldEndASessionOfAClientListenerThatFetches() throws Exception {
        try (RawClient connection = RawClient.connect("127.0.0.1:" + broker.port("CLIENTS"))) {
            assertThat(byRing(connection).flags()).isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
        }
    }
}
