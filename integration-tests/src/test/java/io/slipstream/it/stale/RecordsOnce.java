package io.slipstream.it.stale;

import io.slipstream.harness.Deadline;
import io.slipstream.harness.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Topics, straight at the brokers, and in the end what of the senders' records is in them. */
final class RecordsOnce implements AutoCloseable {
    private static final int CALL_MS = Patience.ms(30_000);
    private static final Duration READ_PATIENCE = Patience.ofSeconds(120);

    private final String bootstrap;
    private final Admin admin;
    private final List<NumberedSender> senders = new ArrayList<>();

    RecordsOnce(String bootstrap) {
        this.bootstrap = bootstrap;
        admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    void create(String topic, int partitions, List<Integer> replicas) throws Exception {
        Map<Integer, List<Integer>> assignment = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            assignment.put(i, replicas);
        }
        get(admin.createTopics(List.of(new NewTopic(topic, assignment))).all());
    }

    void set(String topic, Map<String, String> settings) throws Exception {
        List<AlterConfigOp> operations = new ArrayList<>();
        settings.forEach((key, value) ->
                operations.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
        get(admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), operations))
                .all());
    }

    /** Makes the first of the replicas the leader of all partitions; returns when it is. */
    void lead(String topic, List<Integer> replicas, Duration patience) throws Exception {
        Map<TopicPartition, Optional<NewPartitionReassignment>> targets = new HashMap<>();
        for (TopicPartitionInfo info : partitions(topic)) {
            targets.put(
                    new TopicPartition(topic, info.partition()), Optional.of(new NewPartitionReassignment(replicas)));
        }
        get(admin.alterPartitionReassignments(targets).all());
        get(admin.electLeaders(ElectionType.PREFERRED, Set.copyOf(targets.keySet()))
                .all());
        await(
                topic,
                patience,
                "led by " + replicas.get(0),
                info -> info.leader().id() == replicas.get(0));
    }

    void awaitReplicas(String topic, int count, Duration patience) {
        await(topic, patience, "in sync on " + count, info -> info.isr().size() == count && info.leader() != null);
    }

    private interface Condition {
        boolean holds(TopicPartitionInfo info);
    }

    private void await(String topic, Duration patience, String what, Condition condition) {
        List<TopicPartitionInfo> last = new ArrayList<>();
        boolean reached = Deadline.after(patience).await(() -> {
            try {
                last.clear();
                last.addAll(partitions(topic));
                return last.stream().allMatch(condition::holds);
            } catch (Exception notYet) {
                return false;
            }
        });
        if (!reached) {
            throw new IllegalStateException(topic + " is not " + what + ": " + last);
        }
    }

    private List<TopicPartitionInfo> partitions(String topic) throws Exception {
        TopicDescription description =
                get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic);
        return description.partitions();
    }

    long endOffset(TopicPartition partition) throws Exception {
        return get(admin.listOffsets(Map.of(partition, OffsetSpec.latest())).all())
                .get(partition)
                .offset();
    }

    private static <T> T get(KafkaFuture<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(CALL_MS, TimeUnit.MILLISECONDS);
    }

    /** That sender has ended. */
    void expect(NumberedSender sender) {
        senders.add(sender);
    }

    /** Reads everything; what is missing, twice or out of order, by sender. The last record that was sent and not acknowledged may be there. */
    List<String> differences() throws Exception {
        Map<TopicPartition, Long> ends = new HashMap<>();
        for (NumberedSender sender : senders) {
            ends.put(sender.partition(), endOffset(sender.partition()));
        }
        List<String> differences = new ArrayList<>();
        Map<String, Long> last = read(ends, differences);
        for (NumberedSender sender : senders) {
            long found = last.getOrDefault(name(sender.partition(), sender.id()), 0L);
            if (found < sender.acknowledged() || found > sender.acknowledged() + 1) {
                differences.add(name(sender.partition(), sender.id()) + ": " + sender.acknowledged() + " acknowledged, "
                        + found + " found");
            }
        }
        return differences;
    }

    private static String name(TopicPartition partition, long id) {
        return partition + "/" + id;
    }

    private Map<String, Long> read(Map<TopicPartition, Long> ends, List<String> differences) {
        Map<String, Long> last = new TreeMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            Deadline deadline = Deadline.after(READ_PATIENCE);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                if (deadline.isOver()) {
                    differences.add("not read to the end within " + READ_PATIENCE);
                    break;
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    String name = name(
                            new TopicPartition(record.topic(), record.partition()),
                            NumberedSender.idOf(record.value()));
                    long number = NumberedSender.numberOf(record.value());
                    Long before = last.put(name, number);
                    if (number != (before == null ? 1 : before + 1)) {
                        differences.add(name + ": " + number + " at offset " + record.offset() + " behind " + before);
                    }
                }
            }
        }
        return last;
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
