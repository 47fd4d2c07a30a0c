package io.slipstream.it.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.Patience;
import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.ProxyProcess;
import io.slipstream.it.Seed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Batches that a proxy places straight into the active segment: what is in the log, and what becomes of it when others come in between. Each on a
 * topic of its own, so that brokers may be shared.
 */
public final class SegmentLandings {
    private static final int OTHERS = 20;

    private final BrokerProcess broker;
    private final ProxyProcess proxy;
    private final int records;
    private final Random random = new Random(Seed.ofRun());
    private final String topic;

    /**
     * @param proxy to let others write in between: one whose first request to a partition waits until it may place batches there,
     *     {@code rdma.landing.after.requests=0}
     * @param topic is created
     * @param records how many are placed
     */
    public SegmentLandings(BrokerProcess broker, ProxyProcess proxy, String topic, int records) {
        this.broker = broker;
        this.proxy = proxy;
        this.topic = topic;
        this.records = records;
    }

    public void holdWhatWasPlaced() throws Exception {
        try (PluginCounts counts = PluginCounts.of(broker)) {
            create(Map.of());
            Map<String, Long> before = counts.all();
            long brokerLines = lines(broker.log());
            long proxyLines = lines(proxy.log());
            List<byte[]> sent = values(records);
            try (KafkaProducer<byte[], byte[]> producer = producer(proxy.bootstrapServers())) {
                assertOffsets(send(producer, sent));
            }
            assertThat(read(broker.bootstrapServers(), records)).containsExactlyElementsOf(sent);
            assertThat(read(proxy.bootstrapServers(), records)).containsExactlyElementsOf(sent);
            assertThat(warnings(broker.log(), brokerLines)).isEmpty();
            assertThat(warnings(proxy.log(), proxyLines)).isEmpty();
            assertThat(counted(counts, before, "BATCHES_COMMITTED_IN_PLACE")).isGreaterThan(records / 30);
            assertThat(counted(counts, before, "LANDING_CONFLICTS")).isZero();
            assertThat(counted(counts, before, "HOOK_ERRORS")).isZero();
        }
    }

    /** If the broker looks for old segments often, that takes the partition back, too. */
    public void letOthersWriteInBetween() throws Exception {
        try (PluginCounts counts = PluginCounts.of(broker)) {
            create(Map.of("segment.bytes", "1048576"));
            Map<String, Long> before = counts.all();
            long brokerLines = lines(broker.log());
            long proxyLines = lines(proxy.log());
            List<byte[]> placed = values(records);
            List<byte[]> others = values(OTHERS);
            try (KafkaProducer<byte[], byte[]> placing = producer(proxy.bootstrapServers());
                    KafkaProducer<byte[], byte[]> direct = producer(broker.bootstrapServers())) {
                int next = 0;
                for (byte[] other : others) {
                    List<Future<RecordMetadata>> pending = new ArrayList<>();
                    for (int i = 0; i < records / OTHERS; i++) {
                        pending.add(placing.send(new ProducerRecord<>(topic, 0, null, placed.get(next++))));
                    }
                    direct.send(new ProducerRecord<>(topic, 0, null, other))
                            .get(Patience.ofSeconds(20).toSeconds(), TimeUnit.SECONDS);
                    for (Future<RecordMetadata> each : pending) {
                        each.get(Patience.ofSeconds(20).toSeconds(), TimeUnit.SECONDS);
                    }
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(400));
                }
            }
            List<byte[]> read = read(broker.bootstrapServers(), records + OTHERS);
            assertThat(read.stream().filter(value -> contains(placed, value)).toList())
                    .containsExactlyElementsOf(placed);
            assertThat(read.stream().filter(value -> contains(others, value)).toList())
                    .containsExactlyElementsOf(others);
            assertThat(warnings(broker.log(), brokerLines)).isEmpty();
            assertThat(warnings(proxy.log(), proxyLines)).isEmpty();
            assertThat(counted(counts, before, "BATCHES_COMMITTED_IN_PLACE")).isPositive();
            assertThat(counted(counts, before, "LANDINGS_REVOKED") + counted(counts, before, "TURNS_RESERVED"))
                    .as("the others took the partition back, or turns of their own")
                    .isPositive();
            assertThat(counted(counts, before, "LANDING_CONFLICTS")).isZero();
        }
    }

    private static long counted(PluginCounts counts, Map<String, Long> before, String name) {
        return counts.get(name) - before.get(name);
    }

    private static boolean contains(List<byte[]> values, byte[] value) {
        return values.stream().anyMatch(candidate -> Arrays.equals(candidate, value));
    }

    private void create(Map<String, String> settings) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(settings)))
                    .all()
                    .get(Patience.ofSeconds(30).toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Each begins with its number. */
    private List<byte[]> values(int count) {
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] value = new byte[16 + random.nextInt(4000)];
            random.nextBytes(value);
            ByteBuffer.wrap(value).putInt(i);
            values.add(value);
        }
        return values;
    }

    private static KafkaProducer<byte[], byte[]> producer(String bootstrap) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", "0", "acks", "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private List<RecordMetadata> send(KafkaProducer<byte[], byte[]> producer, List<byte[]> values) throws Exception {
        List<Future<RecordMetadata>> pending = new ArrayList<>();
        for (byte[] value : values) {
            pending.add(producer.send(new ProducerRecord<>(topic, 0, null, value)));
            if (pending.size() % 50 == 0) {
                pending.get(pending.size() - 1).get(Patience.ofSeconds(20).toSeconds(), TimeUnit.SECONDS);
            }
        }
        List<RecordMetadata> all = new ArrayList<>();
        for (Future<RecordMetadata> each : pending) {
            all.add(each.get(Patience.ofSeconds(20).toSeconds(), TimeUnit.SECONDS));
        }
        return all;
    }

    private static void assertOffsets(List<RecordMetadata> all) {
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).offset()).as("offset of record %d", i).isEqualTo(i);
        }
    }

    private List<byte[]> read(String bootstrap, int count) {
        List<byte[]> values = new ArrayList<>();
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long deadlineNs = System.nanoTime() + Patience.ofSeconds(30).toNanos();
            while (values.size() < count && System.nanoTime() - deadlineNs < 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }

    private static long lines(Path log) throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.count();
        }
    }

    /** Not those of a controller that had to wait for the processor. */
    private static List<String> warnings(Path log, long after) throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.skip(after)
                    .filter(line -> !line.contains("[QuorumController "))
                    .filter(line -> line.contains("Breaking link")
                            || line.contains("Closing connection")
                            || line.contains("Exception")
                            || line.contains("closeConnection")
                            || line.contains("ERROR")
                            || line.contains(" lost: ")
                            || line.contains(" is cut"))
                    .toList();
        }
    }
}
