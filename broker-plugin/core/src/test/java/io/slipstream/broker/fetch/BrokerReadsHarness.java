// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/**
 * A real broker of some line in this JVM, its stock clients, and a link. A reader that knows only the protocol reads
 * the broker's logs over the link.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class BrokerReadsHarness {
    static final Duration DEADLINE = Duration.ofSeconds(20);
    static final int MIB = 1 << 20;
    static final String ADMIN = "ANONYMOUS";

    final AtomicInteger names = new AtomicInteger();
    BrokerUnderTest broker;
    Admin admin;
    SlotReads reads;
    ReadsFixture.Link link;
    AtomicInteger doorbells;

    /** Starts a broker whose super user is ANONYMOUS, with Kafka's StandardAuthorizer. */
    protected abstract BrokerUnderTest startBroker() throws Exception;

    /** Returns whether the reader's device pins registered memory, so that it reads windows of segments. */
    protected boolean pinned() {
        return false;
    }

    @BeforeAll
    void startServing() throws Exception {
        broker = startBroker();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    @AfterAll
    void stopServing() {
        if (admin != null) {
            admin.close(Duration.ofSeconds(5));
        }
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void openLink() throws Exception {
        reads = new SlotReads(
                new ReadsConfig(
                        42, 16, 200, 1L << 30, 1000, ReadsFixture.WINDOW_BYTES, LogDirectories.READABLE, TopicSet.NONE),
                broker.partitionLogs(),
                broker.readAccounts());
        doorbells = new AtomicInteger();
        link = ReadsFixture.Link.open(reads, pinned(), slot -> doorbells.incrementAndGet());
    }

    @AfterEach
    void closeLink() throws Exception {
        reads.close();
        assertThat(link.peer().registeredBytes()).as("left registered").isZero();
        link.peer().close();
        assertThat(LogEvents.failures.sum())
                .as("events that could not be handled")
                .isZero();
    }

    SlotReader reader(String topic, long offset) throws Exception {
        return reader(ADMIN, topic, topicId(topic), offset);
    }

    SlotReader reader(String user, String topic, Uuid topicId, long offset) {
        BoundSession session = session(user);
        return new SlotReader(link.as(session), 1, session.sessionId, topic, topicId, offset);
    }

    BoundSession session(String user) {
        return new BoundSession(
                1,
                user.hashCode(),
                new ObservedConnection(user, "", "PLAINTEXT", "User:alice", false, broker.requestContext(user)),
                SessionLifetime.UNLIMITED);
    }

    static void readTo(SlotReader reader, long offset) throws Exception {
        reader.readTo(offset, DEADLINE.toNanos());
    }

    static void awaitWithin(Callable<Boolean> condition) {
        await().pollInSameThread()
                .atMost(DEADLINE)
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }

    String create(Map<String, String> configs) throws Exception {
        String topic = "cars-" + names.incrementAndGet();
        create(topic, configs);
        return topic;
    }

    void create(String topic, Map<String, String> configs) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(configs)))
                .all()
                .get(10, TimeUnit.SECONDS);
        // The broker becomes the leader only after its metadata names it.
        await().pollInSameThread()
                .atMost(DEADLINE)
                .pollInterval(Duration.ofMillis(10))
                .ignoreExceptions()
                .until(() -> endOffset(topic) == 0);
    }

    Uuid topicId(String topic) throws Exception {
        return admin.describeTopics(List.of(topic))
                .allTopicNames()
                .get(10, TimeUnit.SECONDS)
                .get(topic)
                .topicId();
    }

    long endOffset(String topic) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                .partitionResult(partition)
                .get(10, TimeUnit.SECONDS)
                .offset();
    }

    Producer<byte[], byte[]> producer(Map<String, String> settings) {
        Map<String, Object> all = new java.util.HashMap<>(settings);
        all.put("bootstrap.servers", broker.bootstrapServers());
        all.put("batch.size", "1000");
        all.put("max.request.size", MIB);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    void produce(String topic, int records, int bytes) throws Exception {
        try (Producer<byte[], byte[]> producer = producer(Map.of())) {
            for (int i = 0; i < records; i++) {
                var sent = producer.send(new ProducerRecord<>(topic, new byte[bytes]));
                if (i == records - 1) {
                    sent.get(10, TimeUnit.SECONDS);
                }
            }
        }
    }

    /** Directory of the partition on the broker's disk. */
    protected abstract Path directory(String topic, int partition);

    byte[] segmentBytes(String topic, long baseOffset) throws Exception {
        return Files.readAllBytes(directory(topic, 0).resolve(String.format("%020d.log", baseOffset)));
    }

    List<Path> segmentFiles(String topic) throws Exception {
        try (var files = Files.list(directory(topic, 0))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    int segmentCount(String topic) throws Exception {
        return segmentFiles(topic).size();
    }

    byte[] allSegmentBytes(String topic) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Path file : segmentFiles(topic)) {
            all.write(Files.readAllBytes(file));
        }
        return all.toByteArray();
    }
}
