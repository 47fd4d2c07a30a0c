// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.faults.Signals;
import io.slipstream.harness.Alteration;
import io.slipstream.harness.PluginCounts;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Checkout;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Three brokers whose followers fetch by RDMA, and stock clients directly at the leader. The second broker leads; the
 * first is the controller, which stays.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReplicationIT {
    private static final int RECORDS = 500;

    private final List<String> metricsUrls = new ArrayList<>();
    private BrokerCluster cluster;
    private BrokerProcess first;
    private BrokerProcess second;
    private BrokerProcess third;

    @BeforeAll
    void start() {
        cluster = ReplicatedTopic.startBrokers("auto", builder -> {
            String address = "127.0.0.1:" + Ports.free();
            metricsUrls.add("http://" + address);
            return builder.property("slipstream.metrics.address", address);
        });
        first = cluster.brokers().get(0);
        second = cluster.brokers().get(1);
        third = cluster.brokers().get(2);
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private ReplicatedTopic topic(String name) throws Exception {
        ReplicatedTopic topic = ReplicatedTopic.create(cluster, name, Map.of(), 2, 1, 3);
        topic.awaitRdma(List.of(first, third));
        return topic;
    }

    @Test
    void shouldFetchByRdma() throws Exception {
        try (ReplicatedTopic topic = topic("by-rdma");
                PluginCounts follower = PluginCounts.of(third);
                PluginCounts leader = PluginCounts.of(second)) {
            long byRdma = ReplicatedTopic.fetches(follower, "rdma");
            long byTcp = ReplicatedTopic.fetches(follower, "tcp");
            long landed = leader.get("REQUESTS_LANDED");

            long medianUs = topic.produce(RECORDS, 100);

            System.out.println("produce with acks=all, three replicas: median " + medianUs + " us");
            assertThat(ReplicatedTopic.fetches(follower, "rdma") - byRdma).isGreaterThan(RECORDS * 9 / 10);
            assertThat(ReplicatedTopic.fetches(follower, "tcp") - byTcp).isLessThan(RECORDS / 20);
            assertThat(leader.get("REQUESTS_LANDED") - landed)
                    .as("requests of two followers in the leader's rings")
                    .isGreaterThan(2 * RECORDS * 9 / 10);
            assertThat(follower.get("REPLICATION_LINKS")).isPositive();
            assertThat(follower.gauge("FollowerSessions,leader=2"))
                    .as("a series that appeared after the plugin's start")
                    .isPositive();
            assertThat(follower.gauge("FollowerPartitions,leader=2,path=rdma")).isPositive();
            topic.verify();
        }
    }

    @Test
    void shouldBeShownByTop() throws Exception {
        try (ReplicatedTopic topic = topic("shown")) {
            topic.produce(RECORDS, 100);
            Process top = new ProcessBuilder(
                            ChildProcess.java(),
                            "-XX:TieredStopAtLevel=1",
                            "-Xmx256m",
                            "-jar",
                            Checkout.root()
                                    .resolve("cli/target/slipstream-cli.jar")
                                    .toString(),
                            "top",
                            "--once",
                            "--json",
                            "--brokers",
                            String.join(",", metricsUrls))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            JsonNode view = new ObjectMapper().readTree(top.getInputStream().readAllBytes());

            assertThat(view.get("brokers").findValuesAsText("state")).containsExactly("serving", "serving", "serving");
            JsonNode row = null;
            for (JsonNode each : view.get("leaders")) {
                boolean isOfThird =
                        metricsUrls.get(2).endsWith(each.get("broker").asText());
                row = isOfThird && each.get("leader").asText().equals("2") ? each : row;
            }
            assertThat(row).as("%s", view).isNotNull();
            assertThat(row.get("sessions").asLong()).isPositive();
            assertThat(row.get("partitionsByRdma").asLong()).isPositive();
            assertThat(row.get("lagRecords").asLong()).isZero();
            assertThat(row.get("fetchAgeMs").asLong()).isLessThan(60_000);
        }
    }

    /** Larger than a reply ring, and than several of its parts. Directly after such an answer, fetches take TCP. */
    @Test
    void shouldFetchRecordsThatAreLargerThanAReplyRing() throws Exception {
        try (ReplicatedTopic topic = topic("large");
                PluginCounts follower = PluginCounts.of(third)) {
            long bytes = follower.get("REPLICATION_BYTES");

            for (int i = 0; i < 3; i++) {
                topic.awaitRdma(List.of(third));
                topic.produce(1, 6_000_000);
            }
            topic.produce(20, 200_000);

            assertThat(follower.get("REPLICATION_BYTES") - bytes).isGreaterThan(3 * 6_000_000L);
            topic.verify();
        }
    }

    @Test
    void shouldContinueWhenTheLeaderIsKilled() throws Exception {
        try (ReplicatedTopic topic = topic("leader-killed")) {
            topic.produce(50, 100);
            second.kill9();
            topic.produce(50, 100);
            assertThat(topic.leader().id()).isNotEqualTo(2);
            second.restart();
            topic.awaitInSync(1, 2, 3);
            topic.awaitRdma(List.of(second));
            topic.verify();
        }
    }

    @Test
    void shouldContinueWhenAFollowerIsStoppedOrKilled() throws Exception {
        try (ReplicatedTopic topic = topic("follower-stopped")) {
            Signals.stop(third.pid());
            try {
                topic.produce(50, 100);
                topic.awaitInSync(1, 2);
            } finally {
                Signals.resume(third.pid());
            }
            topic.awaitInSync(1, 2, 3);
            topic.awaitRdma(List.of(third));
            third.kill9();
            topic.produce(50, 100);
            third.restart();
            topic.awaitInSync(1, 2, 3);
            topic.awaitRdma(List.of(third));
            topic.verify();
        }
    }

    /** Its links are lost, and followers continue over TCP at once. */
    @Test
    void shouldContinueWhenTheLeadersPluginIsSwitchedOff() throws Exception {
        try (ReplicatedTopic topic = topic("switched-off");
                PluginCounts follower = PluginCounts.of(third)) {
            switchPlugin("2", "false");
            await().atMost(Patience.ofSeconds(20)).until(() -> {
                long before = ReplicatedTopic.fetches(follower, "rdma");
                topic.produce(10, 100);
                return ReplicatedTopic.fetches(follower, "rdma") == before;
            });
            long byTcp = ReplicatedTopic.fetches(follower, "tcp");
            topic.produce(50, 100);
            assertThat(ReplicatedTopic.fetches(follower, "tcp") - byTcp).isGreaterThan(40);
            switchPlugin("2", "true");
            topic.awaitRdma(List.of(first, third));
            topic.verify();
        }
    }

    private void switchPlugin(String node, String enabled) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
            Alteration.ofBroker(admin, node, "slipstream.enabled", enabled);
        }
    }
}
