// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import io.slipstream.process.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * The state that brokers report to a stock admin client, which bypasses the proxies. The client is created on first
 * use.
 */
public final class ClusterState implements AutoCloseable {
    private static final int ANSWER_SECONDS = 10;

    private final String bootstrap;
    private final Runnable refreshNames;
    private Admin admin;

    /** @param refreshNames updates the current addresses of the brokers */
    ClusterState(String bootstrap, Runnable refreshNames) {
        this.bootstrap = bootstrap;
        this.refreshNames = refreshNames;
    }

    private synchronized Admin admin() {
        if (admin == null) {
            admin = Admin.create(Map.of(
                    AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                    bootstrap,
                    AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                    3_000,
                    AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                    8_000,
                    AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                    500L));
        }
        return admin;
    }

    /** Creates topics with a replica on each broker. */
    public void createTopics(Collection<String> topics, int partitions) throws Exception {
        admin().createTopics(topics.stream()
                        .map(topic -> new NewTopic(topic, partitions, (short) Cluster.BROKERS.size()))
                        .toList())
                .all()
                .get(ANSWER_SECONDS * 3, TimeUnit.SECONDS);
    }

    /**
     * Waits until this many brokers are registered and unfenced. The engine may restart a broker repeatedly, with a new
     * address each time.
     */
    public void awaitBrokers(int count, Duration patience) {
        boolean areThere = Deadline.after(patience).await(() -> {
            refreshNames.run();
            return brokers().size() == count;
        });
        if (!areThere) {
            throw new IllegalStateException("brokers after " + patience + ": " + brokers() + ", expected " + count);
        }
        refreshNames.run();
    }

    /** Waits until all replicas of all partitions are in sync. */
    public void awaitInSync(Duration patience) {
        Deadline deadline = Deadline.after(patience);
        if (!deadline.await(() -> lagging() == 0)) {
            throw new IllegalStateException(lagging() + " partitions are under-replicated after " + patience);
        }
    }

    /**
     * Moves leadership to the preferred replicas, which spreads it evenly; all replicas must be in sync. Excludes
     * internal topics, because kafkajs keeps asking a former group coordinator while its connection lasts.
     */
    public void electPreferredLeaders() throws Exception {
        Set<String> topics = admin().listTopics().names().get(ANSWER_SECONDS, TimeUnit.SECONDS);
        Set<TopicPartition> partitions =
                admin().describeTopics(topics).allTopicNames().get(ANSWER_SECONDS, TimeUnit.SECONDS).values().stream()
                        .flatMap(topic -> topic.partitions().stream()
                                .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                        .collect(Collectors.toSet());
        // The answer also says per partition whether an election was needed, which is ignored.
        admin().electLeaders(ElectionType.PREFERRED, partitions).partitions().get(ANSWER_SECONDS * 3, TimeUnit.SECONDS);
    }

    /** Returns node ids; empty while no broker answers. */
    public Set<Integer> brokers() {
        try {
            return admin().describeCluster().nodes().get(ANSWER_SECONDS, TimeUnit.SECONDS).stream()
                    .map(Node::id)
                    .collect(Collectors.toSet());
        } catch (ExecutionException | TimeoutException e) {
            return Set.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Set.of();
        }
    }

    /** Returns the number of under-replicated partitions; -1 while no broker answers. */
    long lagging() {
        try {
            Set<String> topics = admin().listTopics(
                            new org.apache.kafka.clients.admin.ListTopicsOptions().listInternal(true))
                    .names()
                    .get(ANSWER_SECONDS, TimeUnit.SECONDS);
            List<TopicDescription> described = List.copyOf(admin().describeTopics(topics)
                    .allTopicNames()
                    .get(ANSWER_SECONDS, TimeUnit.SECONDS)
                    .values());
            return described.stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .filter(partition -> partition.leader() == null
                            || partition.isr().size() < partition.replicas().size())
                    .count();
        } catch (ExecutionException | TimeoutException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    @Override
    public synchronized void close() {
        if (admin != null) {
            admin.close(Duration.ofSeconds(2));
        }
    }
}
