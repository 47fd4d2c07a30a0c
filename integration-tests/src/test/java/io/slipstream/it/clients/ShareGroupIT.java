// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.Alteration;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Stock share consumers (KIP-932): their records and acknowledgements go by RDMA, whatever their size. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ShareGroupIT {
    private static final int RECORDS = 4_000;
    private static final int LARGE_RECORDS = 12;
    /** Larger than a quarter of a reply ring, so that its answer comes in parts. */
    private static final int LARGE_BYTES = 3 << 20;

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> CARRIED = List.of("SHARE_FETCH", "SHARE_ACKNOWLEDGE", "SHARE_GROUP_HEARTBEAT");

    @Test
    void shouldShareTheRecordsOfAPartitionByRdma(Serving serving) throws Exception {
        String topic = serving.newTopic("share-group", 1);
        fromTheBeginning(serving, topic);
        List<byte[]> values = IntStream.range(0, RECORDS)
                .mapToObj(i -> ("record " + i).getBytes(StandardCharsets.US_ASCII))
                .toList();
        send(serving, topic, values);
        MetricSamples before = serving.metrics();
        List<byte[]> received = new ArrayList<>();
        int bySecond = 0;
        try (ShareConsumer<byte[], byte[]> first = consumer(serving, topic);
                ShareConsumer<byte[], byte[]> second = consumer(serving, topic)) {
            Deadline deadline = Deadline.after(PATIENCE);
            while (received.size() < RECORDS && !deadline.isOver()) {
                take(first, received);
                int beforeSecond = received.size();
                take(second, received);
                bySecond += received.size() - beforeSecond;
            }
        }
        assertThat(texts(received)).hasSize(RECORDS).isEqualTo(texts(values));
        assertThat(received).as("each record once").hasSize(RECORDS);
        assertThat(bySecond).as("received by the second member").isPositive();
        RequestShares.between(before, serving.metrics()).assertByRdma(CARRIED);
    }

    @Test
    void shouldTakeRecordsLargerThanAPartOfTheReplyRing(Serving serving) throws Exception {
        String topic = serving.newTopic("share-large", 1);
        try (Admin admin = Admin.create(settings(serving))) {
            Alteration.of(admin, ConfigResource.Type.TOPIC, topic, "max.message.bytes", "" + 2 * LARGE_BYTES);
        }
        fromTheBeginning(serving, topic);
        Random random = new Random(7);
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < LARGE_RECORDS; i++) {
            byte[] value = new byte[LARGE_BYTES + i];
            random.nextBytes(value);
            values.add(value);
        }
        send(serving, topic, values);
        MetricSamples before = serving.metrics();
        List<byte[]> received = new ArrayList<>();
        try (ShareConsumer<byte[], byte[]> consumer = consumer(serving, topic)) {
            Deadline deadline = Deadline.after(PATIENCE);
            while (received.size() < LARGE_RECORDS && !deadline.isOver()) {
                take(consumer, received);
            }
        }
        assertThat(received).containsExactlyElementsOf(values);
        RequestShares.between(before, serving.metrics()).assertByRdma(CARRIED);
    }

    /** A proxy holds what its client has not taken, so the plugin lowers what a client asks for. */
    @Test
    void shouldTakeAMebibyteAtATime(Serving serving) throws Exception {
        String topic = serving.newTopic("share-limit", 1);
        fromTheBeginning(serving, topic);
        int valueBytes = 50_000;
        List<byte[]> values =
                IntStream.range(0, 100).mapToObj(i -> new byte[valueBytes]).toList();
        send(serving, topic, values);
        int taken = 0;
        int most = 0;
        try (ShareConsumer<byte[], byte[]> consumer = consumer(serving, topic)) {
            Deadline deadline = Deadline.after(PATIENCE);
            while (taken < values.size() && !deadline.isOver()) {
                int count = consumer.poll(POLL).count();
                most = Math.max(most, count);
                taken += count;
            }
        }
        assertThat(taken).isEqualTo(values.size());
        assertThat(most * valueBytes).isBetween(valueBytes, (1 << 20) + valueBytes);
    }

    private static void take(ShareConsumer<byte[], byte[]> consumer, List<byte[]> received) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
            assertThat(record.deliveryCount()).hasValue((short) 1);
            received.add(record.value());
        }
        consumer.commitSync();
    }

    private static Set<String> texts(List<byte[]> values) {
        Set<String> texts = new HashSet<>();
        values.forEach(value -> texts.add(new String(value, StandardCharsets.US_ASCII)));
        return texts;
    }

    private static void send(Serving serving, String topic, List<byte[]> values) {
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                serving.proxyBootstrap(),
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                2 * LARGE_BYTES);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            values.forEach(value -> producer.send(new ProducerRecord<>(topic, value)));
        }
    }

    private static Map<String, Object> settings(Serving serving) {
        return Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, serving.proxyBootstrap());
    }

    private static ShareConsumer<byte[], byte[]> consumer(Serving serving, String topic) {
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                serving.proxyBootstrap(),
                ConsumerConfig.GROUP_ID_CONFIG,
                group(topic),
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                100);
        ShareConsumer<byte[], byte[]> consumer =
                new KafkaShareConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic));
        return consumer;
    }

    private static void fromTheBeginning(Serving serving, String topic) throws Exception {
        try (Admin admin = Admin.create(settings(serving))) {
            Alteration.of(admin, ConfigResource.Type.GROUP, group(topic), "share.auto.offset.reset", "earliest");
        }
    }

    private static String group(String topic) {
        return "sharers-of-" + topic;
    }
}
