// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import io.slipstream.harness.raw.RawTopics;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A topic whose values begin with their offsets. */
record NumberedTopic(String name, int partitions, int valueBytes) {
    /** Creates the topic at the broker. Configuration: key, value, key, value … */
    static NumberedTopic create(
            BrokerProcess broker, String name, int partitions, int valueBytes, String... configuration)
            throws Exception {
        try (RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            return new NumberedTopic(
                    topics.create(name, partitions, configuration).name(), partitions, valueBytes);
        }
    }

    /** Appends records to each partition and returns when all are acknowledged. */
    NumberedTopic append(String bootstrap, long firstOffset, int count) throws Exception {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrap, "batch.size", 200_000, "linger.ms", 20, "acks", "1");
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long offset = firstOffset; offset < firstOffset + count; offset++) {
                byte[] value = ByteBuffer.allocate(valueBytes).putLong(offset).array();
                for (int partition = 0; partition < partitions; partition++) {
                    sent.add(producer.send(new ProducerRecord<>(name, partition, null, value)));
                }
            }
            producer.flush();
            for (Future<RecordMetadata> each : sent) {
                each.get(Patience.ofSeconds(60).toMillis(), TimeUnit.MILLISECONDS);
            }
        }
        return this;
    }

    List<TopicPartition> all() {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(name, partition))
                .toList();
    }
}
