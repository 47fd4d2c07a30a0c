// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.corpus;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Typical operations of stock Java clients; their frames seed the corpora. */
final class StockTraffic {
    private static final String TOPIC = "orders";
    private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);

    private final String bootstrap;

    StockTraffic(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    void run() {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap, "client.id", "admin"))) {
            await(admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1))).all());
            for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
                produce(Map.of("compression.type", codec, "enable.idempotence", "false", "acks", "1"), 3);
            }
            produce(Map.of("acks", "0", "enable.idempotence", "false"), 1);
            produce(Map.of("client.id", "idempotent"), 20);
            produceInTransaction();
            consume(Map.of("group.id", "classic", "group.protocol", "classic"));
            consume(Map.of("group.id", "modern", "group.protocol", "consumer"));
            consume(Map.of("group.id", "committed", "isolation.level", "read_committed", "client.rack", "r1"));
            share();
            administer(admin);
        }
    }

    private void produce(Map<String, Object> settings, int records) {
        try (KafkaProducer<String, String> producer = producer(settings)) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>(TOPIC, i % 2, "key " + i, "value " + i));
            }
        }
    }

    private void produceInTransaction() {
        try (KafkaProducer<String, String> producer = producer(Map.of("transactional.id", "payments"))) {
            producer.initTransactions();
            for (boolean commit : new boolean[] {true, false}) {
                producer.beginTransaction();
                producer.send(new ProducerRecord<>(TOPIC, "in a transaction"));
                producer.flush();
                if (commit) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
            }
        }
    }

    private KafkaProducer<String, String> producer(Map<String, Object> settings) {
        Map<String, Object> all = new java.util.HashMap<>(settings);
        all.put("bootstrap.servers", bootstrap);
        return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    }

    private void consume(Map<String, Object> settings) {
        Map<String, Object> all = new java.util.HashMap<>(settings);
        all.put("bootstrap.servers", bootstrap);
        all.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            for (int i = 0, records = 0; i < 100 && records == 0; i++) {
                records = consumer.poll(Duration.ofMillis(100)).count();
            }
            consumer.commitSync();
            consumer.poll(Duration.ofMillis(100));
            consumer.offsetsForTimes(Map.of(FIRST, 1L));
        }
    }

    private void share() {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "group.id", "shared");
        try (KafkaShareConsumer<String, String> consumer =
                new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            for (int i = 0; i < 20; i++) {
                consumer.poll(Duration.ofMillis(50));
                produce(Map.of(), 1);
            }
        }
    }

    private void administer(Admin admin) {
        await(admin.listTopics().names());
        await(admin.describeTopics(List.of(TOPIC)).allTopicNames());
        await(admin.describeCluster().nodes());
        await(admin.describeFeatures().featureMetadata());
        await(admin.listOffsets(Map.of(FIRST, OffsetSpec.latest())).all());
        await(admin.listGroups().all());
        await(admin.describeConsumerGroups(List.of("classic", "modern")).all());
        await(admin.listConsumerGroupOffsets("classic").all());
        await(admin.describeProducers(List.of(FIRST)).all());
        await(admin.listTransactions().all());
        await(admin.describeTransactions(List.of("payments")).all());
        await(admin.describeAcls(AclBindingFilter.ANY).values());
        await(admin.describeConfigs(List.of(new ConfigResource(ConfigResource.Type.TOPIC, TOPIC)))
                .all());
        await(admin.describeClientQuotas(ClientQuotaFilter.all()).entities());
        await(admin.describeMetadataQuorum().quorumInfo());
        await(admin.describeUserScramCredentials().all());
        await(admin.describeLogDirs(List.of(1)).allDescriptions());
        await(admin.createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(3))).all());
        await(admin.deleteRecords(Map.of(FIRST, RecordsToDelete.beforeOffset(1)))
                .all());
        await(admin.deleteConsumerGroups(List.of("classic")).all());
        await(admin.deleteTopics(List.of(TOPIC)).all());
    }

    /** A broker without authorizer or credentials refuses some requests, whose frames are still useful. */
    private static void await(KafkaFuture<?> answer) {
        try {
            answer.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException refused) {
            System.out.println("refused: " + refused.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new IllegalStateException("the broker does not answer", e);
        }
    }
}
