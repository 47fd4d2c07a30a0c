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

/** What the brokers say of themselves, asked by a stock admin client that goes past the proxies. Its client is made when it is first needed. */
public final class ClusterState implements AutoCloseable {
    private static final int ANSWER_SECONDS = 10;

    private final String bootstrap;
    private final Runnable refreshNames;
    private Admin admin;

    /** @param refreshNames looks up at which addresses the brokers are by now */
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

    /** Topics with a replica on each broker. */
    public void createTopics(Collection<String> topics, int partitions) throws Exception {
        admin().createTopics(topics.stream()
                        .map(topic -> new NewTopic(topic, partitions, (short) Cluster.BROKERS.size()))
                        .toList())
                .all()
                .get(ANSWER_SECONDS * 3, TimeUnit.SECONDS);
    }

    /** Until so many brokers are registered and unfenced. The engine may have restarted one, at another address, any number of times since it was started. */
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

    /** Until every partition of every topic has all of its replicas in sync. */
    public void awaitInSync(Duration patience) {
        Deadline deadline = Deadline.after(patience);
        if (!deadline.await(() -> lagging() == 0)) {
            throw new IllegalStateException(lagging() + " partitions are under-replicated after " + patience);
        }
    }

    /**
     * Leaders are again where assignments name them first, which spreads them evenly; all replicas must be in sync. Not those of internal topics: kafkajs keeps asking a group's coordinator that
     * is none any more for as long as its connection holds.
     */
    public void electPreferredLeaders() throws Exception {
        Set<String> topics = admin().listTopics().names().get(ANSWER_SECONDS, TimeUnit.SECONDS);
        Set<TopicPartition> partitions =
                admin().describeTopics(topics).allTopicNames().get(ANSWER_SECONDS, TimeUnit.SECONDS).values().stream()
                        .flatMap(topic -> topic.partitions().stream()
                                .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                        .collect(Collectors.toSet());
        // Says of each partition whether there was anything to do, which is not looked at.
        admin().electLeaders(ElectionType.PREFERRED, partitions).partitions().get(ANSWER_SECONDS * 3, TimeUnit.SECONDS);
    }

    /** Node ids; empty while nobody answers. */
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

    /** Partitions that lack replicas; -1 while nobody answers. */
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
