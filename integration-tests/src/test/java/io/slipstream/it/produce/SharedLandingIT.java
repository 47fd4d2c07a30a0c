package io.slipstream.it.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.Patience;
import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.ProxyProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

/** Two proxies place batches in one partition while a third producer appends to it over TCP: all in the order that they reserved. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class SharedLandingIT {
    private static final int RECORDS = 3000;
    private static final int MOST_ROUNDS = 20;
    private static final String TOPIC = "shared";

    @ParameterizedTest
    @EnumSource(BrokerLine.class)
    void shouldAppendInTheOrderOfReservations(BrokerLine line) throws Exception {
        BrokerProcess broker = BrokerProcess.builder(line)
                .withAgent()
                .property("slipstream.landing", "shared")
                .start();
        try (broker;
                ProxyProcess first = proxy(broker);
                ProxyProcess second = proxy(broker)) {
            create(broker, Map.of());
            List<String> entrances =
                    List.of(first.bootstrapServers(), second.bootstrapServers(), broker.bootstrapServers());
            send(entrances, 0);

            assertEachInOrder(read(broker.bootstrapServers(), 3 * RECORDS), 3, RECORDS);
            assertEachInOrder(read(second.bootstrapServers(), 3 * RECORDS), 3, RECORDS);
            assertThat(warnings(broker.log())).isEmpty();
            assertThat(warnings(first.log())).isEmpty();
            assertThat(warnings(second.log())).isEmpty();
            broker.stop();
            assertThat(counter(broker, "BATCHES_COMMITTED_IN_PLACE")).isGreaterThan(RECORDS / 10);
            assertThat(counter(broker, "TURNS_RESERVED")).isPositive();
            assertThat(counter(broker, "LANDING_HOLES")).isZero();
            assertThat(counter(broker, "LANDING_CONFLICTS")).isZero();
            assertThat(counter(broker, "HOOK_ERRORS")).isZero();
        }
    }

    /** Small windows in small segments: places are reserved beyond the one and the other all the time. */
    @ParameterizedTest
    @EnumSource(BrokerLine.class)
    void shouldGoOnInTheNextWindowAndTheNextSegment(BrokerLine line) throws Exception {
        BrokerProcess broker = BrokerProcess.builder(line)
                .withAgent()
                .property("slipstream.landing", "shared")
                .property("slipstream.landing.window.bytes", "2097152")
                .start();
        try (broker;
                ProxyProcess first = proxy(broker);
                ProxyProcess second = proxy(broker)) {
            create(broker, Map.of("segment.bytes", "6291456"));
            List<String> entrances =
                    List.of(first.bootstrapServers(), second.bootstrapServers(), broker.bootstrapServers());
            int rounds = 0;
            try (PluginCounts counts = PluginCounts.of(broker)) {
                // A proxy rests for a second or more after a landing that was given up so soon, and a round may take
                // less.
                while (rounds < MOST_ROUNDS && counts.get("LANDINGS_BEGUN") < 2) {
                    send(entrances, rounds++ * RECORDS);
                    TimeUnit.MILLISECONDS.sleep(300);
                }
            }

            assertEachInOrder(read(broker.bootstrapServers(), 3 * rounds * RECORDS), 3, rounds * RECORDS);
            assertThat(warnings(broker.log())).isEmpty();
            assertThat(warnings(first.log())).isEmpty();
            assertThat(warnings(second.log())).isEmpty();
            broker.stop();
            assertThat(counter(broker, "BATCHES_COMMITTED_IN_PLACE")).isPositive();
            assertThat(counter(broker, "LANDINGS_BEGUN")).isGreaterThan(1);
            assertThat(counter(broker, "LANDING_CONFLICTS")).isZero();
            assertThat(counter(broker, "HOOK_ERRORS")).isZero();
        }
    }

    private static ProxyProcess proxy(BrokerProcess broker) throws Exception {
        return ProxyProcess.builder(broker)
                .property("rdma.landing.after.requests", "0")
                .start();
    }

    private static void create(BrokerProcess broker, Map<String, String> settings) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1).configs(settings)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    /** All at once, each its own records by number. */
    private static void send(List<String> entrances, int from) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Callable<Void>> senders = new ArrayList<>();
            for (int i = 0; i < entrances.size(); i++) {
                int sender = i;
                senders.add(() -> send(entrances.get(sender), sender, from));
            }
            for (Future<Void> sent : threads.invokeAll(senders, 2, TimeUnit.MINUTES)) {
                sent.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Void send(String bootstrap, int sender, int from) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", "0", "acks", "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            List<Future<RecordMetadata>> pending = new ArrayList<>();
            for (int i = 0; i < RECORDS; i++) {
                byte[] value = new byte[16 + i % 3000];
                ByteBuffer.wrap(value).putInt(sender).putInt(from + i);
                pending.add(producer.send(new ProducerRecord<>(TOPIC, 0, null, value)));
                if (pending.size() % 20 == 0) {
                    pending.get(pending.size() - 1).get(Patience.ofSeconds(20).toSeconds(), TimeUnit.SECONDS);
                }
            }
            long before = -1;
            for (Future<RecordMetadata> each : pending) {
                long offset = each.get(Patience.ofSeconds(20).toSeconds(), TimeUnit.SECONDS)
                        .offset();
                assertThat(offset).isGreaterThan(before);
                before = offset;
            }
        }
        return null;
    }

    private static void assertEachInOrder(List<byte[]> values, int senders, int each) {
        int[] next = new int[senders];
        for (byte[] value : values) {
            ByteBuffer bytes = ByteBuffer.wrap(value);
            int sender = bytes.getInt();
            assertThat(bytes.getInt()).as("record of sender %d", sender).isEqualTo(next[sender]++);
        }
        assertThat(next).containsOnly(each);
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
