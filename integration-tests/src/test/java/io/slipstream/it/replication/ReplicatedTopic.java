// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.PluginCounts;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A topic with one partition on all brokers of a cluster, and a stock producer with acks=all. */
final class ReplicatedTopic implements AutoCloseable {
    private static final Duration PATIENCE = Patience.ofSeconds(60);

    private final BrokerCluster cluster;
    private final Map<String, Object> security;
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;
    private final TopicPartition partition;
    private long produced;

    private ReplicatedTopic(BrokerCluster cluster, String name, Map<String, Object> security) {
        this.cluster = cluster;
        this.security = security;
        this.partition = new TopicPartition(name, 0);
        this.admin = Admin.create(settings(Map.of()));
        this.producer = new KafkaProducer<>(
                settings(Map.of(
                        "acks",
                        "all",
                        "max.request.size",
                        "16000000",
                        "delivery.timeout.ms",
                        "120000",
                        "linger.ms",
                        "0")),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** Three brokers, of which the first is the controller. They soon notice that one of them is gone or lags. */
    static BrokerCluster startBrokers(String replication, UnaryOperator<BrokerProcess.Builder> more) {
        return BrokerCluster.start(
                BrokerLine.NEWEST,
                3,
                1,
                builder -> more.apply(builder.withAgent()
                        .property("slipstream.replication", replication)
                        .property("broker.session.timeout.ms", "3000")
                        .property("broker.heartbeat.interval.ms", "500")
                        .property("replica.lag.time.max.ms", "3000")
                        .property("replica.high.watermark.checkpoint.interval.ms", "500")
                        .property("socket.request.max.bytes", "20000000")));
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        Map<String, Object> all = new java.util.HashMap<>(security);
        all.putAll(more);
        all.put("bootstrap.servers", cluster.bootstrapServers());
        return all;
    }

    /** The first of these nodes leads it. */
    static ReplicatedTopic create(BrokerCluster cluster, String name, Map<String, Object> security, Integer... nodes)
            throws Exception {
        Map<String, String> settings = Map.of("min.insync.replicas", "2", "max.message.bytes", "16000000");
        return create(cluster, name, security, settings, List.of(nodes));
    }

    static ReplicatedTopic create(
            BrokerCluster cluster,
            String name,
            Map<String, Object> security,
            Map<String, String> settings,
            List<Integer> nodes)
            throws Exception {
        ReplicatedTopic topic = new ReplicatedTopic(cluster, name, security);
        try {
            topic.admin
                    .createTopics(List.of(new NewTopic(name, Map.of(0, nodes)).configs(settings)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            return topic;
        } catch (Exception e) {
            topic.close();
            throw e;
        }
    }

    /** Sends records one by one and returns the median time in microseconds. */
    long produce(int records, int valueBytes) throws Exception {
        long[] timesNs = new long[records];
        for (int i = 0; i < records; i++) {
            long startNs = System.nanoTime();
            byte[] value = new byte[valueBytes];
            value[valueBytes - 1] = (byte) produced;
            send(null, value);
            timesNs[i] = System.nanoTime() - startNs;
        }
        java.util.Arrays.sort(timesNs);
        return timesNs[records / 2] / 1_000;
    }

    /** Sends a record and waits for its acknowledgement. */
    void send(byte[] key, byte[] value) throws Exception {
        producer.send(new ProducerRecord<>(partition.topic(), 0, key, value)).get(120, TimeUnit.SECONDS);
        produced++;
    }

    /** After an unclean election: the new leader has only so many of the records. */
    void continueAt(long count) {
        produced = count;
    }

    Admin admin() {
        return admin;
    }

    TopicPartition partition() {
        return partition;
    }

    /** Produces until each of these followers fetches by RDMA. */
    void awaitRdma(List<BrokerProcess> followers) {
        for (BrokerProcess follower : followers) {
            try (PluginCounts counts = PluginCounts.of(follower)) {
                await().atMost(PATIENCE).pollInSameThread().ignoreExceptions().until(() -> {
                    long before = fetches(counts, "rdma");
                    produce(5, 100);
                    return fetches(counts, "rdma") >= before + 5;
                });
            }
        }
    }

    static long fetches(PluginCounts counts, String path) {
        return counts.gauge("ReplicationFetches,path=" + path);
    }

    long produced() {
        return produced;
    }

    Node leader() throws Exception {
        return info().leader();
    }

    private TopicPartitionInfo info() throws Exception {
        return admin.describeTopics(List.of(partition.topic()))
                .allTopicNames()
                .get(30, TimeUnit.SECONDS)
                .get(partition.topic())
                .partitions()
                .get(0);
    }

    /** Waits until these nodes are in sync, and no others. */
    void awaitInSync(Integer... nodes) {
        await().atMost(PATIENCE).pollInSameThread().ignoreExceptions().untilAsserted(() -> {
            Set<Integer> inSync = new TreeSet<>();
            info().isr().forEach(node -> inSync.add(node.id()));
            assertThat(inSync).containsExactlyInAnyOrder(nodes);
        });
    }

    /** Every replica has the same bytes, and each broker knows that all records are committed. */
    void verify() throws Exception {
        verify(cluster.brokers());
    }

    /** As above, for a topic that not all brokers have. */
    void verify(List<BrokerProcess> replicas) throws Exception {
        verifyWatermarks(replicas);
        byte[] first = log(replicas.get(0));
        for (BrokerProcess broker : replicas) {
            assertThat(log(broker)).as("log of broker %d", broker.nodeId()).isEqualTo(first);
        }
        assertThat(ReplicaRecords.of(replicas.get(0), partition)).as("records").hasSize(Math.toIntExact(produced));
    }

    /** Each broker knows that all records are committed. */
    void verifyWatermarks(List<BrokerProcess> replicas) throws Exception {
        assertThat(admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                        .partitionResult(partition)
                        .get(30, TimeUnit.SECONDS)
                        .offset())
                .as("high watermark")
                .isEqualTo(produced);
        for (BrokerProcess broker : replicas) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(checkpoint(broker))
                            .as("high watermark of broker %d", broker.nodeId())
                            .contains(partition.topic() + " 0 " + produced));
        }
    }

    private byte[] log(BrokerProcess broker) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            for (Path file : ReplicaRecords.segments(broker, partition)) {
                bytes.write(Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static List<String> checkpoint(BrokerProcess broker) throws IOException {
        return Files.readAllLines(broker.logDirectory().resolve("replication-offset-checkpoint"));
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
        admin.close(Duration.ofSeconds(5));
    }
}
