// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Kafka's Admin client, connected directly to the brokers. Every call has a deadline. A failed call throws {@link
 * FaultFailure}.
 */
final class ClusterAdministration implements AutoCloseable {
    private static final int CALL_PATIENCE_MS = Patience.ms(10_000);
    private static final Duration HEAL_PATIENCE = Patience.ofSeconds(40);

    private static final Set<TransactionState> SETTLED =
            Set.of(TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT, TransactionState.EMPTY);

    private final Admin admin;
    private final List<Integer> nodes;

    /** @param nodes ids of all brokers */
    ClusterAdministration(String directBootstrap, List<Integer> nodes) {
        this.nodes = List.copyOf(nodes);
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                directBootstrap,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                3_000,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                CALL_PATIENCE_MS,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                200));
    }

    /** Receives a log start before it moves. */
    interface Trimming {
        void announce(String topic, int partition, long logStart);
    }

    /** Creates a topic with one replica per broker. Returns when each partition has a leader that accepts appends. */
    void create(String topic, int partitions, Map<String, String> settings) {
        persistently(() -> {
            if (!exists(topic)) {
                NewTopic created = new NewTopic(topic, partitions, (short) nodes.size()).configs(settings);
                get("create " + topic, admin.createTopics(List.of(created)).all());
            }
            for (int partition : partitions(topic)) {
                offset(new TopicPartition(topic, partition), OffsetSpec.latest());
            }
        });
    }

    /** Deletes a topic. Returns when no broker knows it. */
    void delete(String topic) {
        persistently(() -> {
            if (exists(topic)) {
                get("delete " + topic, admin.deleteTopics(List.of(topic)).all());
            }
        });
        if (!Deadline.after(HEAL_PATIENCE).await(() -> !exists(topic))) {
            throw new FaultFailure(topic + " is deleted but still listed");
        }
    }

    private boolean exists(String topic) {
        return get("list topics", admin.listTopics().names()).contains(topic);
    }

    boolean areReplicasInSync(List<String> topics) {
        try {
            return topics.stream()
                    .flatMap(topic -> infos(topic).stream())
                    .allMatch(info -> info.leader() != null && info.isr().size() == nodes.size());
        } catch (FaultFailure notYet) {
            return false;
        }
    }

    boolean hasOpenTransactions() {
        try {
            return get("list transactions", admin.listTransactions().all()).stream()
                    .anyMatch(transaction -> !SETTLED.contains(transaction.state()));
        } catch (FaultFailure notYet) {
            return true;
        }
    }

    List<Integer> partitions(String topic) {
        return infos(topic).stream().map(TopicPartitionInfo::partition).toList();
    }

    void set(String topic, Map<String, String> settings) {
        alter(topic, settings, AlterConfigOp.OpType.SET);
    }

    /** Resets the keys to the broker's defaults. */
    void unset(String topic, Collection<String> keys) {
        Map<String, String> settings = new HashMap<>();
        keys.forEach(key -> settings.put(key, ""));
        alter(topic, settings, AlterConfigOp.OpType.DELETE);
    }

    /** Moves each partition's log start halfway to its end. */
    void deleteRecords(String topic, Trimming trimming) {
        for (int partition : partitions(topic)) {
            TopicPartition which = new TopicPartition(topic, partition);
            long start = offset(which, OffsetSpec.earliest());
            long end = offset(which, OffsetSpec.latest());
            long before = start + (end - start) / 2;
            trimming.announce(topic, partition, before);
            get(
                    "delete records of " + which,
                    admin.deleteRecords(Map.of(which, RecordsToDelete.beforeOffset(before)))
                            .all());
        }
    }

    /** Makes the next replica of each partition its preferred replica and its leader. */
    void rotateLeaders(List<String> topics) {
        Set<TopicPartition> partitions = reassign(topics, info -> {
            List<Integer> replicas = ids(info);
            Collections.rotate(replicas, 1);
            return replicas;
        });
        get(
                "elect leaders",
                admin.electLeaders(ElectionType.PREFERRED, partitions).partitions());
    }

    /** Removes or restores one replica of each partition. */
    void moveReplicas(List<String> topics) {
        reassign(topics, info -> {
            List<Integer> replicas = ids(info);
            if (replicas.size() < nodes.size()) {
                return nodes;
            }
            // Removes the leader of every other partition and a follower of the rest.
            replicas.remove(info.partition() % 2 == 0 ? replicas.size() - 1 : 0);
            return replicas;
        });
    }

    /**
     * Cancels reassignments first: a replica is removed only when another one is in sync, and until then an assignment
     * to all replicas changes nothing.
     */
    void assignAllReplicas(List<String> topics) {
        Map<TopicPartition, Optional<NewPartitionReassignment>> cancelled = new HashMap<>();
        get("list reassignments", admin.listPartitionReassignments().reassignments())
                .keySet()
                .forEach(partition -> cancelled.put(partition, Optional.empty()));
        get("cancel reassignments", admin.alterPartitionReassignments(cancelled).all());
        reassign(topics, info -> nodes);
    }

    private Set<TopicPartition> reassign(List<String> topics, Function<TopicPartitionInfo, List<Integer>> replicas) {
        Map<TopicPartition, Optional<NewPartitionReassignment>> targets = new HashMap<>();
        for (String topic : topics) {
            for (TopicPartitionInfo info : infos(topic)) {
                targets.put(
                        new TopicPartition(topic, info.partition()),
                        Optional.of(new NewPartitionReassignment(replicas.apply(info))));
            }
        }
        get("reassign replicas", admin.alterPartitionReassignments(targets).all());
        return targets.keySet();
    }

    List<TopicPartitionInfo> infos(String topic) {
        return get("describe " + topic, admin.describeTopics(List.of(topic)).allTopicNames())
                .get(topic)
                .partitions();
    }

    private static List<Integer> ids(TopicPartitionInfo info) {
        List<Integer> ids = new ArrayList<>();
        info.replicas().forEach(node -> ids.add(node.id()));
        return ids;
    }

    long offset(TopicPartition partition, OffsetSpec which) {
        return get(
                        "offsets of " + partition,
                        admin.listOffsets(Map.of(partition, which)).all())
                .get(partition)
                .offset();
    }

    private void alter(String topic, Map<String, String> settings, AlterConfigOp.OpType type) {
        List<AlterConfigOp> operations = new ArrayList<>();
        settings.forEach((key, value) -> operations.add(new AlterConfigOp(new ConfigEntry(key, value), type)));
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        get(
                "configure " + topic,
                admin.incrementalAlterConfigs(Map.of(resource, operations)).all());
    }

    /** Retries until the change succeeds. After the patience it throws the last failure. */
    static void persistently(Runnable change) {
        AtomicReference<FaultFailure> last = new AtomicReference<>();
        boolean isDone = Deadline.after(HEAL_PATIENCE).await(() -> {
            try {
                change.run();
                return true;
            } catch (FaultFailure failure) {
                last.set(failure);
                return false;
            }
        });
        if (!isDone) {
            throw last.get();
        }
    }

    private static <T> T get(String what, KafkaFuture<T> future) {
        try {
            return future.get(CALL_PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FaultFailure(what + ": interrupted", e);
        } catch (ExecutionException e) {
            throw new FaultFailure(what + ": " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new FaultFailure(what + ": no answer within " + CALL_PATIENCE_MS + " ms", e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
