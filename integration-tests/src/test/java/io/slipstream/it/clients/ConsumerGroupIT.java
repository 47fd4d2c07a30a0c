// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several concurrent stock Java consumers. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ConsumerGroupIT {
    private static final int RECORDS = 6_000;
    private static final int PARTITIONS = 4;
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @Test
    void shouldGiveTwoConsumersOfOnePartitionTheSameRecords(Serving serving) throws Exception {
        String topic = serving.newTopic("shared-partition", 1);
        List<String> values = Delivery.values("shared", RECORDS);
        StringBuilder first = new StringBuilder();
        StringBuilder second = new StringBuilder();
        PathCounts before = serving.counts();

        try (KafkaProducer<String, String> producer = producer(serving);
                Consumer<String, String> one = consumer(serving, Map.of());
                Consumer<String, String> two = consumer(serving, Map.of())) {
            for (Consumer<String, String> consumer : List.of(one, two)) {
                consumer.assign(List.of(new TopicPartition(topic, 0)));
                consumer.seekToBeginning(consumer.assignment());
            }
            int[] received = new int[2];
            for (int sent = 0; sent < RECORDS; sent += RECORDS / 10) {
                send(producer, topic, 1, values.subList(sent, sent + RECORDS / 10), sent);
                received[0] += take(one, first);
                received[1] += take(two, second);
            }
            Deadline deadline = Deadline.after(PATIENCE);
            while (received[0] + received[1] < 2 * RECORDS && !deadline.isOver()) {
                received[0] += take(one, first);
                received[1] += take(two, second);
            }
        }

        Delivery.assertExact(first.toString(), values);
        Delivery.assertExact(second.toString(), values);
        Delivery.assertByRdma(serving.counts().since(before), RECORDS, 2 * RECORDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void shouldReassignPartitionsWhenMembersJoinAndLeave(String groupProtocol, Serving serving) throws Exception {
        String topic = serving.newTopic("rebalance-" + groupProtocol, PARTITIONS);
        List<String> values = Delivery.values("rebalance", RECORDS);
        StringBuilder output = new StringBuilder();
        Map<String, Object> group = Map.of(
                ConsumerConfig.GROUP_ID_CONFIG, topic + "-group", ConsumerConfig.GROUP_PROTOCOL_CONFIG, groupProtocol);
        int third = RECORDS / 3;
        PathCounts before = serving.counts();

        try (KafkaProducer<String, String> producer = producer(serving);
                Consumer<String, String> first = consumer(serving, group)) {
            int received = 0;
            int bySecond = 0;
            subscribe(first, topic);
            send(producer, topic, PARTITIONS, values.subList(0, third), 0);
            Deadline deadline = Deadline.after(PATIENCE);
            while (received < third && !deadline.isOver()) {
                received += take(first, output);
            }
            assertThat(received).as("received by the only member").isEqualTo(third);

            try (Consumer<String, String> second = consumer(serving, group)) {
                subscribe(second, topic);
                deadline = Deadline.after(PATIENCE);
                while (second.assignment().size() + first.assignment().size() != PARTITIONS
                        || second.assignment().isEmpty()) {
                    received += take(first, output);
                    bySecond += take(second, output);
                    assertThat(deadline.isOver())
                            .as("second member has no partition")
                            .isFalse();
                }
                send(producer, topic, PARTITIONS, values.subList(third, 2 * third), third);
                while (received + bySecond < 2 * third && !deadline.isOver()) {
                    received += take(first, output);
                    bySecond += take(second, output);
                }
                assertThat(bySecond).as("received by the second member").isPositive();
                second.commitSync();
            }
            send(producer, topic, PARTITIONS, values.subList(2 * third, RECORDS), 2 * third);
            deadline = Deadline.after(PATIENCE);
            while (received + bySecond < RECORDS && !deadline.isOver()) {
                received += take(first, output);
            }
        }

        Delivery.assertExact(output.toString(), values);
        Delivery.assertByRdma(serving.counts().since(before), RECORDS, RECORDS);
    }

    private static KafkaProducer<String, String> producer(Serving serving) {
        Map<String, Object> settings = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, serving.proxyBootstrap());
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    private static Consumer<String, String> consumer(Serving serving, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, serving.proxyBootstrap());
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    /** Commits when a partition is revoked, so that its next owner neither repeats nor skips records. */
    private static void subscribe(Consumer<String, String> consumer, String topic) {
        consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                if (!partitions.isEmpty()) {
                    consumer.commitSync();
                }
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
        });
    }

    private static void send(
            KafkaProducer<String, String> producer,
            String topic,
            int partitions,
            List<String> values,
            int firstNumber) {
        List<Future<?>> answers = new ArrayList<>();
        int number = firstNumber;
        for (String value : values) {
            answers.add(producer.send(new ProducerRecord<>(topic, number++ % partitions, null, value)));
        }
        producer.flush();
        assertThat(answers).allSatisfy(answer -> answer.get());
    }

    /** Appends the records of one poll as {@code partition TAB value}. Returns their number. */
    private static int take(Consumer<String, String> consumer, StringBuilder output) {
        int count = 0;
        for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
            output.append(record.partition())
                    .append('\t')
                    .append(record.value())
                    .append('\n');
            count++;
        }
        return count;
    }
}
