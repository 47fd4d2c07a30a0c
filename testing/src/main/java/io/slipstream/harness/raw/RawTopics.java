// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.protocol.Errors;

/** Creates topics directly at the broker, so that all arms start equally, and waits until the topics are writable. */
public final class RawTopics implements AutoCloseable {
    private static final AtomicInteger SERIAL = new AtomicInteger();
    private static final Duration PATIENCE = Patience.ofSeconds(15);

    private final RawClient client;

    public RawTopics(String directBootstrap) throws IOException {
        client = RawClient.connect(directBootstrap);
    }

    /** Returns the brokers by node id, as this address reports them. */
    public static SortedMap<Integer, MetadataResponseBroker> brokers(String bootstrap) throws IOException {
        try (RawClient client = RawClient.connect(bootstrap)) {
            MetadataResponseData metadata =
                    client.call(12, new MetadataRequestData().setTopics(List.of()), MetadataResponseData.class);
            SortedMap<Integer, MetadataResponseBroker> brokers = new TreeMap<>();
            metadata.brokers().forEach(broker -> brokers.put(broker.nodeId(), broker));
            return brokers;
        }
    }

    /** Returns the broker of a one-node cluster, as this address reports it. */
    public static MetadataResponseBroker onlyBroker(String bootstrap) throws IOException {
        SortedMap<Integer, MetadataResponseBroker> brokers = brokers(bootstrap);
        return brokers.get(brokers.firstKey());
    }

    /** Returns a name and an id of a topic that does not exist. */
    public static TopicRef missing(String name) {
        return new TopicRef(name + '-' + SERIAL.incrementAndGet(), Uuid.randomUuid());
    }

    /** Creates a topic with a unique number in its name. Configuration: key, value, key, value … */
    public TopicRef create(String name, int partitions, String... configuration) throws IOException {
        return create(topic(name, configuration).setNumPartitions(partitions).setReplicationFactor((short) 1));
    }

    /**
     * As {@link #create}, with one partition whose replicas are on these nodes. The first node leads and must be the
     * one connected to.
     */
    public TopicRef createOn(String name, List<Integer> nodes, String... configuration) throws IOException {
        CreatableTopic topic = topic(name, configuration).setNumPartitions(-1).setReplicationFactor((short) -1);
        topic.assignments()
                .add(new CreatableReplicaAssignment().setPartitionIndex(0).setBrokerIds(nodes));
        return create(topic);
    }

    private static CreatableTopic topic(String name, String... configuration) {
        CreatableTopic topic = new CreatableTopic().setName(name + '-' + SERIAL.incrementAndGet());
        for (int i = 0; i < configuration.length; i += 2) {
            topic.configs()
                    .add(new CreatableTopicConfig().setName(configuration[i]).setValue(configuration[i + 1]));
        }
        return topic;
    }

    private TopicRef create(CreatableTopic topic) throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(10_000);
        request.topics().add(topic);
        CreatableTopicResult result = client.call(7, request, CreateTopicsResponseData.class)
                .topics()
                .iterator()
                .next();
        if (result.errorCode() != Errors.NONE.code()) {
            throw new IllegalStateException("cannot create " + topic + ": " + result);
        }
        TopicRef created = new TopicRef(topic.name(), result.topicId());
        if (!Deadline.after(PATIENCE).await(() -> isNamed(created) && isLed(topic))) {
            throw new IllegalStateException(topic.name() + " has no leader after " + PATIENCE.toSeconds() + " s");
        }
        return created;
    }

    /** Deletes a topic and creates an empty one with the same name and one partition. */
    public TopicRef recreate(TopicRef topic) throws IOException {
        delete(topic);
        return create(
                new CreatableTopic().setName(topic.name()).setNumPartitions(1).setReplicationFactor((short) 1));
    }

    /** Deletes a topic; the broker removes its files later. */
    public void delete(TopicRef topic) throws IOException {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(10_000);
        request.topics().add(new DeleteTopicState().setName(null).setTopicId(topic.id()));
        DeletableTopicResult result = client.call(6, request, DeleteTopicsResponseData.class)
                .responses()
                .iterator()
                .next();
        if (result.errorCode() != Errors.NONE.code()) {
            throw new IllegalStateException("cannot delete " + topic + ": " + result);
        }
    }

    /** Returns whether the broker maps the name to this id. After a recreation it may still know the older topic. */
    private boolean isNamed(TopicRef topic) {
        MetadataRequestData request = new MetadataRequestData()
                .setAllowAutoTopicCreation(false)
                .setTopics(List.of(new MetadataRequestTopic().setName(topic.name())));
        try {
            return client.call(12, request, MetadataResponseData.class).topics().stream()
                    .allMatch(known -> known.topicId().equals(topic.id()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether the broker leads all partitions and each log is empty, so it is not that of an older topic. */
    private boolean isLed(CreatableTopic topic) {
        ListOffsetsTopic asked = new ListOffsetsTopic().setName(topic.name());
        for (int partition = 0; partition < Math.max(1, topic.numPartitions()); partition++) {
            asked.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(partition).setTimestamp(-1));
        }
        ListOffsetsRequestData request =
                new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(asked));
        try {
            return client.call(7, request, ListOffsetsResponseData.class).topics().stream()
                    .flatMap(answered -> answered.partitions().stream())
                    .allMatch(partition -> partition.errorCode() == Errors.NONE.code() && partition.offset() == 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
