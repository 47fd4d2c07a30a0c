package io.slipstream.it.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.Patience;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches that a proxy places straight into the active segment: what is in the log, and what becomes of it when others come in between. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class SegmentLandingIT {
    private static final int RECORDS = 3000;
    private static final String TOPIC = "landed";

    @ParameterizedTest
    @EnumSource(BrokerLine.class)
    void shouldHoldWhatWasPlaced(BrokerLine line) throws Exception {
        Random random = new Random(Seed.ofRun());
        BrokerProcess broker = start(line);
        try (broker;
                ProxyProcess proxy = ProxyProcess.builder(broker).start()) {
            create(broker, Map.of());
            List<byte[]> sent = values(random, RECORDS);
            try (KafkaProducer<byte[], byte[]> producer = producer(proxy.bootstrapServers())) {
                assertOffsets(send(producer, sent), 0);
            }
            assertThat(read(broker.bootstrapServers(), RECORDS)).containsExactlyElementsOf(sent);
            assertThat(read(proxy.bootstrapServers(), RECORDS)).containsExactlyElementsOf(sent);
            assertThat(warnings(broker.log())).isEmpty();
            assertThat(warnings(proxy.log())).isEmpty();
            broker.stop();
            assertThat(counter(broker, "BATCHES_COMMITTED_IN_PLACE")).isGreaterThan(100);
            assertThat(counter(broker, "LANDING_CONFLICTS")).isZero();
            assertThat(counter(broker, "HOOK_ERRORS")).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(BrokerLine.class)
    void shouldLetOthersWriteInBetween(BrokerLine line) throws Exception {
        Random random = new Random(Seed.ofRun());
        BrokerProcess broker = start(line);
        try (broker;
                ProxyProcess proxy = ProxyProcess.builder(broker)
                        .property("rdma.landing.after.requests", "0")
                        .start()) {
            create(broker, Map.of("segment.bytes", "1048576"));
            List<byte[]> placed = values(random, RECORDS);
            List<byte[]> others = values(random, 20);
            try (KafkaProducer<byte[], byte[]> placing = producer(proxy.bootstrapServers());
                    KafkaProducer<byte[], byte[]> direct = producer(broker.bootstrapServers())) {
                int next = 0;
                for (byte[] other : others) {
                    List<Future<RecordMetadata>> pending = new ArrayList<>();
                    for (int i = 0; i < RECORDS / others.size(); i++) {
                        pending.add(placing.send(new ProducerRecord<>(TOPIC, 0, null, placed.get(next++))));
                    }
                    direct.send(new ProducerRecord<>(TOPIC, 0, null, other))
                            .get(Patience.ofSeconds(20).toSeconds(), TimeUnit.SECONDS);
                    for (Future<RecordMetadata> each : pending) {
                        each.get(Patience.ofSeconds(20).toSeconds(), TimeUnit.SECONDS);
                    }
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(400));
                }
            }
            List<byte[]> read = read(broker.bootstrapServers(), RECORDS + others.size());
            assertThat(read.stream().filter(value -> contains(placed, value)).toList())
                    .containsExactlyElementsOf(placed);
            assertThat(read.stream().filter(value -> contains(others, value)).toList())
                    .containsExactlyElementsOf(others);
            assertThat(warnings(broker.log())).isEmpty();
            assertThat(warnings(proxy.log())).isEmpty();
            broker.stop();
            assertThat(counter(broker, "BATCHES_COMMITTED_IN_PLACE")).isPositive();
            assertThat(counter(broker, "LANDINGS_REVOKED")).isPositive();
            assertThat(counter(broker, "LANDING_CONFLICTS")).isZero();
        }
    }

    private static boolean contains(List<byte[]> values, byte[] value) {
        return values.stream().anyMatch(candidate -> Arrays.equals(candidate, value));
    }

    private static BrokerProcess start(BrokerLine line) throws Exception {
        return BrokerProcess.builder(line)
                .withAgent()
                .property("slipstream.landing", "segment")
                .property("log.retention.check.interval.ms", "500")
                .start();
    }

    private static void create(BrokerProcess broker, Map<String, String> settings) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1).configs(settings)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    /** Each begins with its number. */
    private static List<byte[]> values(Random random, int count) {
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

    private static List<RecordMetadata> send(KafkaProducer<byte[], byte[]> producer, List<byte[]> values)
            throws Exception {
        List<Future<RecordMetadata>> pending = new ArrayList<>();
        for (byte[] value : values) {
            pending.add(producer.send(new ProducerRecord<>(TOPIC, 0, null, value)));
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

    private static void assertOffsets(List<RecordMetadata> all, long first) {
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).offset()).as("offset of record %d", i).isEqualTo(first + i);
        }
    }

    private static List<byte[]> read(String bootstrap, int count) {
        List<byte[]> values = new ArrayList<>();
        TopicPartition partition = new TopicPartition(TOPIC, 0);
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

    private static List<String> warnings(Path log) throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("Breaking link")
                            || line.contains("Closing connection")
                            || line.contains("Exception")
                            || line.contains("closeConnection")
                            || line.contains("ERROR")
                            || line.contains(" lost: ")
                            || line.contains(" is cut"))
                    .toList();
        }
    }

    /** As the plugin logged it when the broker stopped. */
    private static long counter(BrokerProcess broker, String name) throws IOException {
        Matcher matcher =
                Pattern.compile("counters: \\{.*\\b" + name + "=(\\d+)").matcher(Files.readString(broker.log()));
        assertThat(matcher.find()).as("counters in %s", broker.log()).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
