// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.PluginCounts;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Administrators change replicated topics, on three brokers whose followers fetch by RDMA. At the end of each case
 * the replicas are equal, their log starts, too, and no acknowledged record is missing. The first broker is the
 * controller. {@code -Dslipstream.replication=off} runs the control, with stock replication.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ReplicationScriptsIT {
    private static final String MODE = System.getProperty("slipstream.replication", "auto");
    private static final Duration PATIENCE = Patience.ofSeconds(60);
    private static final int RATE_BYTES_PER_S = 1_000_000;
    private static final String NO_VALUE = "";

    private BrokerCluster cluster;
    private BrokerProcess first;
    private BrokerProcess second;
    private BrokerProcess third;

    @BeforeAll
    void start() {
        cluster = ReplicatedTopic.startBrokers(
                MODE,
                builder -> builder.property("auto.leader.rebalance.enable", "false")
                        .property("log.retention.check.interval.ms", "500")
                        .property("log.initial.task.delay.ms", "500")
                        .property("log.cleaner.backoff.ms", "500")
                        .property("file.delete.delay.ms", "500"));
        first = cluster.brokers().get(0);
        second = cluster.brokers().get(1);
        third = cluster.brokers().get(2);
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private ReplicatedTopic topic(String name, Map<String, String> settings, Integer... nodes) throws Exception {
        Map<String, String> all = new HashMap<>(Map.of("min.insync.replicas", "2", "max.message.bytes", "16000000"));
        all.putAll(settings);
        ReplicatedTopic topic = ReplicatedTopic.create(cluster, name, Map.of(), all, List.of(nodes));
        awaitRdma(
                topic,
                cluster.brokers().stream()
                        .filter(broker ->
                                broker.nodeId() != nodes[0] && List.of(nodes).contains(broker.nodeId()))
                        .toList());
        return topic;
    }

    private static void awaitRdma(ReplicatedTopic topic, List<BrokerProcess> followers) throws Exception {
        if (MODE.equals("auto")) {
            topic.awaitRdma(followers);
        } else {
            topic.produce(5, 100);
        }
    }

    /** Followers fetch by RDMA again, and nothing is missing or different. */
    private void verify(ReplicatedTopic topic, BrokerProcess... followers) throws Exception {
        topic.awaitInSync(1, 2, 3);
        awaitRdma(topic, List.of(followers));
        topic.verify();
        awaitLogStart(topic, 0);
    }

    private void awaitLogStart(ReplicatedTopic topic, long offset) {
        for (BrokerProcess broker : cluster.brokers()) {
            try (PluginCounts counts = PluginCounts.of(broker)) {
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(counts.ofLog("LogStartOffset", topic.partition()))
                                .as("log start of broker %d", broker.nodeId())
                                .isEqualTo(offset));
            }
        }
    }

    private static void alter(Admin admin, ConfigResource.Type type, String name, Map<String, String> values)
            throws Exception {
        List<AlterConfigOp> changes = new ArrayList<>();
        values.forEach((key, value) -> changes.add(new AlterConfigOp(
                new ConfigEntry(key, value),
                value.equals(NO_VALUE) ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET)));
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(type, name), changes))
                .all()
                .get(30, TimeUnit.SECONDS);
    }

    private static void awaitLeader(ReplicatedTopic topic, int node) {
        await().atMost(PATIENCE)
                .pollInSameThread()
                .ignoreExceptions()
                .until(() -> topic.leader().id() == node);
    }

    @Test
    void shouldFollowAPreferredElection() throws Exception {
        try (ReplicatedTopic topic = topic("preferred", Map.of(), 2, 1, 3)) {
            topic.produce(20, 100);
            second.stop();
            topic.produce(20, 100);
            assertThat(topic.leader().id()).isNotEqualTo(2);
            second.restart();
            topic.awaitInSync(1, 2, 3);
            awaitRdma(topic, List.of(second));

            topic.admin()
                    .electLeaders(ElectionType.PREFERRED, Set.of(topic.partition()))
                    .all()
                    .get(30, TimeUnit.SECONDS);

            awaitLeader(topic, 2);
            topic.produce(20, 100);
            verify(topic, first, third);
        }
    }

    /** The new replica copies no faster than the throttle allows, and the throttle counts what it copies. */
    @Test
    void shouldHoldTheThrottleOfAReassignment() throws Exception {
        int megabytes = 10;
        try (ReplicatedTopic topic = topic("throttled", Map.of(), 2, 1)) {
            topic.produce(10 * megabytes, 100_000);
            throttle(topic.admin(), Integer.toString(RATE_BYTES_PER_S));
            alter(
                    topic.admin(),
                    ConfigResource.Type.TOPIC,
                    "throttled",
                    Map.of(
                            "leader.replication.throttled.replicas", "*",
                            "follower.replication.throttled.replicas", "*"));
            try (PluginCounts follower = PluginCounts.of(third);
                    PluginCounts leader = PluginCounts.of(second)) {
                long bytes = follower.get("REPLICATION_BYTES");
                long startNs = System.nanoTime();
                reassign(topic, 2, 1, 3);
                double atLeader = 0;
                double atFollower = 0;
                while (!isReassigned(topic)) {
                    assertThat(System.nanoTime() - startNs).as("reassignment").isLessThan(PATIENCE.toNanos());
                    atLeader = rate(leader, "LeaderReplication");
                    atFollower = rate(follower, "FollowerReplication");
                    TimeUnit.MILLISECONDS.sleep(100);
                }
                Duration took = Duration.ofNanos(System.nanoTime() - startNs);
                System.out.println("throttled reassignment of " + megabytes + " MB: " + took.toMillis()
                        + " ms, at last " + atLeader + " and " + atFollower + " bytes/s");
                assertThat(took).isGreaterThan(Duration.ofSeconds(megabytes * 6 / 10));
                assertThat(atLeader).as("bytes/s, leader").isBetween(1.0, 1.3 * RATE_BYTES_PER_S);
                assertThat(atFollower).as("bytes/s, follower").isBetween(1.0, 1.3 * RATE_BYTES_PER_S);
                if (MODE.equals("auto")) {
                    assertThat(follower.get("REPLICATION_BYTES") - bytes)
                            .as("bytes by RDMA")
                            .isGreaterThan(megabytes * 500_000L);
                }
            } finally {
                throttle(topic.admin(), NO_VALUE);
            }
            verify(topic, first, third);
        }
    }

    /** In bytes/s; 0 if nothing was throttled yet. */
    private static double rate(PluginCounts counts, String quota) {
        try {
            return counts.measure(quota, "byte-rate");
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    private void throttle(Admin admin, String rate) throws Exception {
        for (BrokerProcess broker : cluster.brokers()) {
            alter(
                    admin,
                    ConfigResource.Type.BROKER,
                    Integer.toString(broker.nodeId()),
                    Map.of("leader.replication.throttled.rate", rate, "follower.replication.throttled.rate", rate));
        }
    }

    private static void reassign(ReplicatedTopic topic, Integer... nodes) throws Exception {
        topic.admin()
                .alterPartitionReassignments(
                        Map.of(topic.partition(), Optional.of(new NewPartitionReassignment(List.of(nodes)))))
                .all()
                .get(30, TimeUnit.SECONDS);
    }

    private static boolean isReassigned(ReplicatedTopic topic) throws Exception {
        return topic.admin()
                .listPartitionReassignments(Set.of(topic.partition()))
                .reassignments()
                .get(30, TimeUnit.SECONDS)
                .isEmpty();
    }

    @Test
    void shouldMoveTheLogStartOfFollowers() throws Exception {
        try (ReplicatedTopic topic = topic("deleted-records", Map.of("segment.bytes", "1048576"), 2, 1, 3)) {
            topic.produce(30, 100_000);
            long offset = topic.produced() - 5;
            TopicPartition partition = topic.partition();

            assertThat(topic.admin()
                            .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)))
                            .lowWatermarks()
                            .get(partition)
                            .get(30, TimeUnit.SECONDS)
                            .lowWatermark())
                    .as("what all replicas have deleted")
                    .isEqualTo(offset);

            awaitLogStart(topic, offset);
            topic.produce(20, 100);
            topic.awaitInSync(1, 2, 3);
            awaitRdma(topic, List.of(first, third));
            topic.verifyWatermarks(cluster.brokers());
            for (BrokerProcess broker : cluster.brokers()) {
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(ReplicaRecords.of(broker, partition))
                                .as("records of broker %d", broker.nodeId())
                                .doesNotContainKey(0L));
                assertThat(ReplicaRecords.of(broker, partition).tailMap(offset))
                        .as("records of broker %d", broker.nodeId())
                        .isEqualTo(ReplicaRecords.of(second, partition).tailMap(offset))
                        .hasSize(Math.toIntExact(topic.produced() - offset));
            }
        }
    }

    /** Each broker compacts by itself, leaders and followers at other times. */
    @Test
    void shouldReplicateACompactedTopic() throws Exception {
        Map<String, String> settings = Map.of("segment.bytes", "1048576", "min.cleanable.dirty.ratio", "0.01");
        int keys = 10;
        try (ReplicatedTopic topic = topic("compacted-topic", settings, 2, 1, 3)) {
            alter(topic.admin(), ConfigResource.Type.TOPIC, "compacted-topic", Map.of("cleanup.policy", "compact"));
            Map<String, Integer> last = new HashMap<>();
            byte[] value = new byte[100_000];
            for (int i = 0; i < 60; i++) {
                String key = "k" + i % keys;
                value[0] = (byte) i;
                topic.send(key.getBytes(StandardCharsets.ISO_8859_1), value);
                last.put(key, i);
            }
            for (BrokerProcess broker : cluster.brokers()) {
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(ReplicaRecords.of(broker, topic.partition()))
                                .as("compacted records of broker %d", broker.nodeId())
                                .hasSizeLessThan(50));
            }
            topic.awaitInSync(1, 2, 3);
            topic.verifyWatermarks(cluster.brokers());
            for (BrokerProcess broker : cluster.brokers()) {
                Map<String, Integer> kept = new HashMap<>();
                ReplicaRecords.of(broker, topic.partition()).values().forEach(record -> {
                    String[] keyAndValue = record.split("=", 2);
                    if (last.containsKey(keyAndValue[0])) {
                        kept.put(keyAndValue[0], (int) keyAndValue[1].charAt(0));
                    }
                });
                assertThat(kept).as("broker %d", broker.nodeId()).isEqualTo(last);
            }
        }
    }

    /** The new topic has another id, and none of the old records. */
    @Test
    void shouldFollowARecreatedTopic() throws Exception {
        try (ReplicatedTopic topic = topic("recreated", Map.of(), 2, 1, 3)) {
            topic.produce(30, 1_000);
            topic.admin().deleteTopics(List.of("recreated")).all().get(30, TimeUnit.SECONDS);
        }
        for (int i = 0; i < 3; i++) {
            ReplicatedTopic[] created = new ReplicatedTopic[1];
            await().atMost(PATIENCE).pollInSameThread().ignoreExceptions().until(() -> {
                created[0] = topic("recreated", Map.of(), 3, 2, 1);
                return true;
            });
            try (ReplicatedTopic topic = created[0]) {
                topic.produce(10, 100);
                verify(topic, first, second);
                topic.admin().deleteTopics(List.of("recreated")).all().get(30, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void shouldCatchUpAFollowerThatIsFarBehind() throws Exception {
        try (ReplicatedTopic topic = topic("behind", Map.of("segment.bytes", "4194304"), 2, 1, 3)) {
            third.kill9();
            topic.produce(60, 400_000);
            topic.produce(200, 100);
            third.restart();
            verify(topic, first, third);
        }
    }

    @Test
    @Tag("thorough")
    void shouldSurviveARollingRestart() throws Exception {
        try (ReplicatedTopic topic = topic("rolling", Map.of(), 2, 1, 3)) {
            for (BrokerProcess broker : List.of(third, second, first)) {
                topic.produce(20, 100);
                broker.stop();
                if (broker != first) {
                    topic.produce(20, 100);
                }
                broker.restart();
                topic.awaitInSync(1, 2, 3);
            }
            verify(
                    topic,
                    cluster.brokers().stream()
                            .filter(broker -> !isLeader(topic, broker))
                            .toArray(BrokerProcess[]::new));
        }
    }

    private static boolean isLeader(ReplicatedTopic topic, BrokerProcess broker) {
        try {
            return topic.leader().id() == broker.nodeId();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("thorough")
    void shouldContinueWhenALeaderAndAFollowerAreKilled() throws Exception {
        try (ReplicatedTopic topic = topic("both-killed", Map.of(), 2, 1, 3)) {
            topic.produce(50, 100);
            second.kill9();
            third.kill9();
            third.restart();
            topic.produce(50, 100);
            second.restart();
            topic.awaitInSync(1, 2, 3);
            verify(topic, second);
        }
    }

    /** What the old leader alone had is gone, as in stock Kafka, and it truncates its log when it is back. */
    @Test
    @Tag("thorough")
    void shouldTruncateAfterAnUncleanElection() throws Exception {
        Map<String, String> settings = Map.of("min.insync.replicas", "1", "unclean.leader.election.enable", "true");
        try (ReplicatedTopic topic = topic("unclean", settings, 2, 3)) {
            topic.produce(20, 100);
            long before = topic.produced();
            third.kill9();
            topic.produce(30, 100);
            second.kill9();
            third.restart();
            awaitLeader(topic, 3);
            topic.continueAt(before);
            topic.produce(10, 100);
            second.restart();
            topic.awaitInSync(2, 3);
            awaitRdma(topic, List.of(second));
            topic.verify(List.of(second, third));
        }
    }
}
