// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.PluginCounts;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.BrokerSecurity;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two brokers each: of different lines, with authentication between them, and with topics that are left to TCP. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ReplicationVariantsIT {
    private static final String JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"admin\" password=\"secret\"";
    private static final Map<String, Object> ADMIN =
            Map.of("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN", "sasl.jaas.config", JAAS + ";");
    private static final int REAUTHENTICATION_MS = 4_000;

    private static BrokerProcess.Builder replicating(BrokerProcess.Builder builder) {
        return builder.withAgent()
                .property("slipstream.replication", "auto")
                .property("replica.high.watermark.checkpoint.interval.ms", "500");
    }

    @Test
    void shouldReplicateBetweenLines() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(
                nodeId -> nodeId == 1 ? BrokerLine.KAFKA_4_3 : BrokerLine.KAFKA_4_4,
                2,
                1,
                ReplicationVariantsIT::replicating)) {
            for (BrokerProcess follower : cluster.brokers()) {
                int leader = 3 - follower.nodeId();
                try (ReplicatedTopic topic =
                        ReplicatedTopic.create(cluster, "led-by-" + leader, Map.of(), leader, follower.nodeId())) {
                    topic.awaitRdma(List.of(follower));
                    topic.produce(200, 1_000);
                    topic.verify();
                }
            }
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

    /** Records of an excluded topic take TCP. So do those of other topics that the same fetcher copies. */
    @Test
    void shouldLeaveExcludedTopicsToTcp() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(
                        BrokerLine.NEWEST,
                        2,
                        1,
                        builder -> replicating(builder).property("slipstream.topics.excluded", "private*"));
                PluginCounts follower = PluginCounts.of(cluster.brokers().get(0))) {
            try (ReplicatedTopic topic = ReplicatedTopic.create(cluster, "open", Map.of(), 2, 1)) {
                topic.awaitRdma(List.of(cluster.brokers().get(0)));
            }
            try (ReplicatedTopic topic = ReplicatedTopic.create(cluster, "private-1", Map.of(), 2, 1)) {
                topic.produce(5, 100);
                long byRdma = ReplicatedTopic.fetches(follower, "rdma");
                topic.produce(100, 100);
                assertThat(ReplicatedTopic.fetches(follower, "rdma")).isEqualTo(byRdma);
                topic.verify();
            }
        }
    }
}
