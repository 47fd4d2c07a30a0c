// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.TempDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A control for the fault {@code clock-jump}, with three stock brokers, no agent and no proxy. The clock of a
 * transaction coordinator goes back by an hour just after it lost the connection to another broker. The coordinator
 * then sends that broker no markers, and readers of committed records wait. If this test fails, Kafka has changed, and
 * docs/reliability.md is to be read again.
 */
@Tag("thorough")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class StockMarkersIT {
    private static final int BROKERS = 3;
    private static final int HOUR_S = 3_600;
    private static final String TOPIC = "orders";
    private static final String TRANSACTIONAL_ID = "orders-writer";
    /** Half a period of the sender's attempts to connect, so that the clock goes back between two of them. */
    private static final Duration AFTER_THE_KILL = Duration.ofMillis(225);

    private static final Duration WATCHED = Duration.ofSeconds(30);

    private final List<FakeClock> clocks = new ArrayList<>();

    @Test
    void shouldSendNoMarkersToABrokerThatWasLostUnderAClockThatWentBack() throws Exception {
        try (TempDirectory directory = TempDirectory.create("ss-mk");
                BrokerCluster cluster =
                        BrokerCluster.start(BrokerLine.NEWEST, BROKERS, builder -> withClock(directory, builder));
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
                KafkaProducer<String, String> producer = producer(cluster.bootstrapServers())) {
            get(admin.createTopics(List.of(new NewTopic(TOPIC, BROKERS, (short) BROKERS)))
                    .all());
            producer.initTransactions();
            int coordinator = transaction(admin).coordinatorId();
            TopicPartition partition = ledElsewhere(admin, coordinator);
            int leader = leader(admin, partition);
            commit(producer, partition);
            assertThat(hasMarker(admin, partition, WATCHED)).as("marker").isTrue();

            clocks.get(coordinator - 1).jump(HOUR_S);
            BrokerProcess killed = cluster.brokers().get(leader - 1);
            killed.kill9();
            LockSupport.parkNanos(AFTER_THE_KILL.toNanos());
            clocks.get(coordinator - 1).jump(0);
            killed.restart();
            assertThat(Deadline.after(WATCHED).await(() -> isElected(admin, partition, leader)))
                    .as("leads again")
                    .isTrue();
            commit(producer, partition);

            assertThat(hasMarker(admin, partition, WATCHED)).as("marker").isFalse();
            assertThat(leader(admin, partition)).as("leader").isEqualTo(leader);
            assertThat(transaction(admin).state()).isEqualTo(TransactionState.PREPARE_COMMIT);
            assertThat(transaction(admin).topicPartitions())
                    .as("without a marker")
                    .containsExactly(partition);
            producer.close(Duration.ZERO);
        }
    }

    private BrokerProcess.Builder withClock(TempDirectory directory, BrokerProcess.Builder builder) {
        FakeClock clock = new FakeClock(directory.directory("b" + clocks.size()));
        clocks.add(clock);
        return builder.environment(clock.environment());
    }

    private static KafkaProducer<String, String> producer(String bootstrapServers) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "transactional.id", TRANSACTIONAL_ID),
                new StringSerializer(),
                new StringSerializer());
    }

    private static void commit(KafkaProducer<String, String> producer, TopicPartition partition) {
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), "key", "value"));
        producer.commitTransaction();
    }

    private static TopicPartition ledElsewhere(Admin admin, int coordinator) throws Exception {
        return infos(admin).stream()
                .filter(info -> info.leader().id() != coordinator)
                .map(info -> new TopicPartition(TOPIC, info.partition()))
                .findFirst()
                .orElseThrow();
    }

    private static int leader(Admin admin, TopicPartition partition) throws Exception {
        return infos(admin).get(partition.partition()).leader().id();
    }

    /** Elects the partition's first replica, which is its leader from the start. */
    private static boolean isElected(Admin admin, TopicPartition partition, int leader) {
        try {
            get(admin.electLeaders(ElectionType.PREFERRED, Set.of(partition)).partitions());
            return leader(admin, partition) == leader;
        } catch (Exception notYet) {
            return false;
        }
    }

    private static List<TopicPartitionInfo> infos(Admin admin) throws Exception {
        return get(admin.describeTopics(List.of(TOPIC)).allTopicNames())
                .get(TOPIC)
                .partitions();
    }

    private static TransactionDescription transaction(Admin admin) throws Exception {
        return get(admin.describeTransactions(List.of(TRANSACTIONAL_ID)).description(TRANSACTIONAL_ID));
    }

    /** Waits until committed readers may read up to the high watermark. */
    private static boolean hasMarker(Admin admin, TopicPartition partition, Duration patience) {
        return Deadline.after(patience)
                .await(() -> end(admin, partition, IsolationLevel.READ_COMMITTED)
                        == end(admin, partition, IsolationLevel.READ_UNCOMMITTED));
    }

    private static long end(Admin admin, TopicPartition partition, IsolationLevel level) {
        KafkaFuture<ListOffsetsResultInfo> answer = admin.listOffsets(
                        Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(level))
                .partitionResult(partition);
        try {
            return get(answer).offset();
        } catch (Exception e) {
            throw new AssertionError("no end of " + partition, e);
        }
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }
}
