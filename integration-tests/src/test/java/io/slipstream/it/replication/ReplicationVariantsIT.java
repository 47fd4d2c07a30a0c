// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.secured.Certificates;
import io.slipstream.harness.secured.StoreFormat;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.BrokerSecurity;
import io.slipstream.process.Patience;
import io.slipstream.process.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers each: of different lines, with authentication between them, with TLS, and with topics left to TCP. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ReplicationVariantsIT {
    private static final String JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"admin\" password=\"secret\"";
    private static final Map<String, Object> ADMIN =
            Map.of("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN", "sasl.jaas.config", JAAS + ";");
    private static final int REAUTHENTICATION_MS = 4_000;
    private static final String LEADER = "127.0.0.2";

    private static BrokerProcess.Builder replicating(BrokerProcess.Builder builder) {
        return builder.withAgent()
                .property("slipstream.replication", "auto")
                .property("replica.high.watermark.checkpoint.interval.ms", "500");
    }

    @Test
    void shouldReplicateBetweenLinesAndLeaveExcludedTopicsToTcp() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(
                nodeId -> nodeId == 1 ? BrokerLine.KAFKA_4_3 : BrokerLine.KAFKA_4_4,
                2,
                1,
                builder -> replicating(builder).property("slipstream.topics.excluded", "private*"))) {
            for (BrokerProcess follower : cluster.brokers()) {
                int leader = 3 - follower.nodeId();
                try (ReplicatedTopic topic =
                        ReplicatedTopic.create(cluster, "led-by-" + leader, Map.of(), leader, follower.nodeId())) {
                    topic.awaitRdma(List.of(follower));
                    topic.produce(200, 1_000);
                    topic.verify();
                }
            }
            leaveExcludedTopicToTcp(cluster);
        }
    }

    /** Records of an excluded topic take TCP. So do those of other topics that the same fetcher copies. */
    private static void leaveExcludedTopicToTcp(BrokerCluster cluster) throws Exception {
        try (PluginCounts follower = PluginCounts.of(cluster.brokers().get(0));
                ReplicatedTopic topic = ReplicatedTopic.create(cluster, "private-1", Map.of(), 2, 1)) {
            topic.produce(5, 100);
            long byRdma = ReplicatedTopic.fetches(follower, "rdma");
            topic.produce(100, 100);
            assertThat(ReplicatedTopic.fetches(follower, "rdma")).isEqualTo(byRdma);
            topic.verify();
        }
    }

    /** The leader's session ends with the authentication on the fetcher's connection, and is bound again. */
    @Test
    void shouldReplicateWithAuthenticationThatExpires() throws Exception {
        String listener = "listener.name.sasl_plaintext.";
        BrokerSecurity security =
                new BrokerSecurity(SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.PLAINTEXT, List.of(), ADMIN);
        try (BrokerCluster cluster = BrokerCluster.start(
                        BrokerLine.NEWEST,
                        2,
                        1,
                        builder -> replicating(builder.secured(security))
                                .property("sasl.enabled.mechanisms", "PLAIN")
                                .property("sasl.mechanism.inter.broker.protocol", "PLAIN")
                                .property(listener + "plain.sasl.jaas.config", JAAS + " user_admin=\"secret\";")
                                .property(
                                        listener + "plain.connections.max.reauth.ms",
                                        Integer.toString(REAUTHENTICATION_MS))
                                .property(
                                        "authorizer.class.name",
                                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                                .property("super.users", "User:admin;User:ANONYMOUS"));
                ReplicatedTopic topic = ReplicatedTopic.create(cluster, "authenticated", ADMIN, 2, 1);
                PluginCounts leader = PluginCounts.of(cluster.brokers().get(1))) {
            BrokerProcess follower = cluster.brokers().get(0);
            topic.awaitRdma(List.of(follower));
            long bound = leader.get("SESSIONS_BOUND");

            long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3L * REAUTHENTICATION_MS);
            while (System.nanoTime() - endNs < 0) {
                topic.produce(20, 100);
            }

            topic.awaitRdma(List.of(follower));
            assertThat(leader.get("SESSIONS_BOUND")).isGreaterThan(bound);
            topic.verify();
        }
    }

    /** The leader is on another host, so the follower reaches its plugin over TCP. */
    @Test
    void shouldReplicateByRdmaWhenTheLeadersPluginHasATrustedCertificate(@TempDir Path temporary) throws Exception {
        int controlPort = Ports.free();
        Certificates certificates =
                Certificates.in(temporary.resolve("c")).issue("broker-1").issue("broker-2");
        AtomicInteger nodeIds = new AtomicInteger();
        try (BrokerCluster cluster = BrokerCluster.start(BrokerLine.NEWEST, 2, 1, builder -> {
                    int nodeId = nodeIds.incrementAndGet();
                    BrokerProcess.Builder broker = nodeId == 1 ? builder : onSecondAddress(builder);
                    onPort(controlPort, nodeId, certificates, broker);
                    return replicating(broker).slipstreamDirectory(temporary.resolve("s" + nodeId));
                });
                ReplicatedTopic topic = ReplicatedTopic.create(cluster, "certified", Map.of(), 2, 1);
                PluginCounts counts = PluginCounts.of(cluster.brokers().get(0))) {
            BrokerProcess follower = cluster.brokers().get(0);
            await("the certificate does not name the leader's host")
                    .atMost(Patience.ofSeconds(60))
                    .until(() -> Files.readString(follower.log()).contains("is of no use: TLS: "));
            topic.produce(100, 100);
            assertThat(ReplicatedTopic.fetches(counts, "rdma")).isZero();

            certificates.issue("broker-2", LEADER, "leader");
            topic.awaitRdma(List.of(follower));
            topic.verify();
        }
    }

    /** Kafka's clients use the second address, and the harness the first one. */
    private static BrokerProcess.Builder onSecondAddress(BrokerProcess.Builder builder) {
        int port = Ports.free();
        return builder.port(port)
                .property("listeners", "PLAINTEXT://0.0.0.0:" + port)
                .property("advertised.listeners", "PLAINTEXT://" + LEADER + ":" + port);
    }

    private static void onPort(int port, int nodeId, Certificates certificates, BrokerProcess.Builder broker) {
        broker.property("slipstream.control.address", (nodeId == 1 ? "127.0.0.1:" : LEADER + ":") + port)
                .property("slipstream.control.ssl.client.auth", "required");
        Map<String, String> stores = new HashMap<>(certificates.identity("broker-" + nodeId, StoreFormat.PEM));
        stores.putAll(certificates.trust(StoreFormat.PEM));
        stores.forEach((key, value) -> broker.property("slipstream.control." + key, value));
    }
}
