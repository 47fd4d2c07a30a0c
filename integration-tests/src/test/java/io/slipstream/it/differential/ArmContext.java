// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Patience;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * The tools of a script in one arm: connections through it, new topics, the same random numbers as in the other arms,
 * and the transcript. Closing closes connections and leaves topics until the broker ends.
 */
final class ArmContext implements AutoCloseable {
    private final Arm arm;
    private final RawTopics topics;
    private final Map<Integer, FastPathWarmup> warmups;
    private final TopicRef agedTopic;
    private final String caseName;
    private final Random random;
    private final Transcript transcript = new Transcript();
    private final List<RawClient> connections = new ArrayList<>();
    private final List<Created> created = new ArrayList<>();
    private final SortedMap<Integer, MetadataResponseBroker> nodes;
    private RequestCounts warmupCounts = RequestCounts.NONE;

    /** @param warmups warm-ups by node id */
    ArmContext(
            Arm arm,
            RawTopics topics,
            Map<Integer, FastPathWarmup> warmups,
            TopicRef agedTopic,
            String caseName,
            long seed)
            throws IOException {
        this.arm = arm;
        this.topics = topics;
        this.warmups = warmups;
        this.agedTopic = agedTopic;
        this.caseName = caseName;
        random = new Random(seed ^ caseName.hashCode());
        nodes = RawTopics.brokers(arm.bootstrap());
        transcript.alias(agedTopic, "aged");
        nodes.forEach((id, node) -> transcript.aliasAddress(node.host(), node.port(), "node " + id));
    }

    private record Created(TopicRef topic, int partitions, String logicalName) {}

    Arm arm() {
        return arm;
    }

    Random random() {
        return random;
    }

    Transcript transcript() {
        return transcript;
    }

    /** Returns the {@code host:port} under which this arm's Metadata names the first broker. */
    String nodeAddress() {
        return nodeAddress(nodes.firstKey());
    }

    private String nodeAddress(int nodeId) {
        MetadataResponseBroker node = nodes.get(nodeId);
        return node.host() + ':' + node.port();
    }

    /** Creates a topic with this logical name in all arms. Configuration: key, value, key, value … */
    TopicRef topic(String logicalName, int partitions, String... configuration) throws IOException {
        TopicRef topic =
                topics.create(caseName + '-' + logicalName + '-' + arm.kind().label(), partitions, configuration);
        transcript.alias(topic, logicalName);
        created.add(new Created(topic, partitions, logicalName));
        return topic;
    }

    /** As {@link #topic}, with one partition led by the first broker and followed by the second. */
    TopicRef replicatedTopic(String logicalName, String... configuration) throws IOException {
        return topicOn(List.of(1, 2), logicalName, configuration);
    }

    /** As {@link #topic}, with one partition on these brokers; the first of them must be the first broker. */
    TopicRef topicOn(List<Integer> nodes, String logicalName, String... configuration) throws IOException {
        String name = caseName + '-' + logicalName + '-' + arm.kind().label();
        TopicRef topic = topics.createOn(name, nodes, configuration);
        transcript.alias(topic, logicalName);
        created.add(new Created(topic, 1, logicalName));
        return topic;
    }

    /** Deletes a topic and creates one with one partition in its place, with this logical name in all arms. */
    TopicRef recreate(TopicRef topic, String logicalName) throws IOException {
        TopicRef recreated = topics.recreate(topic);
        transcript.alias(recreated.id().toString(), "id-of-" + logicalName);
        return recreated;
    }

    /** Shuts the broker down cleanly and restarts it. Returns when it leads the topic's partition 0 again. */
    void restartBroker(TopicRef topic) {
        arm.broker().restart();
        await().atMost(Patience.ofSeconds(20))
                .pollInterval(Duration.ofMillis(50))
                .alias("a leader of " + topic.name())
                .until(() -> isLed(topic));
    }

    private boolean isLed(TopicRef topic) throws IOException {
        ListOffsetsRequestData request = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1)))));
        try (RawClient client = RawClient.connect(arm.broker().bootstrapServers())) {
            return client.call(7, request, ListOffsetsResponseData.class)
                            .topics()
                            .get(0)
                            .partitions()
                            .get(0)
                            .errorCode()
                    == Errors.NONE.code();
        }
    }

    /** Excludes the topic's log from the comparison because it depends on time. */
    void forgetLog(TopicRef topic) {
        created.removeIf(each -> each.topic.equals(topic));
    }

    /** Records the on-disk logs of all topics created here, for the comparison at the end of every case. */
    void noteLogs() throws IOException {
        for (Created each : created) {
            for (int partition = 0; partition < each.partitions; partition++) {
                Path log = arm.broker().logDirectory().resolve(each.topic.name() + '-' + partition);
                transcript.note("log of " + each.logicalName + '-' + partition, LogText.of(log));
            }
        }
    }

    /**
     * Returns a topic with one partition and three batches of leader epoch 0, whose leader is now in a later epoch. Do
     * not write to it.
     */
    TopicRef agedTopic() {
        return agedTopic;
    }

    /** Returns the requests of connection warm-ups, which do not belong to the script. */
    RequestCounts warmupCounts() {
        return warmupCounts;
    }

    /** Returns a missing topic with a name and id of the usual form. */
    TopicRef missingTopic(String logicalName) {
        TopicRef topic = RawTopics.missing(
                caseName + '-' + logicalName + '-' + arm.kind().label());
        transcript.alias(topic, logicalName);
        return topic;
    }

    /** Returns a connection to the first broker through this arm, with a working fast path if there is one. */
    RawClient connect() throws IOException {
        return connect(nodes.firstKey());
    }

    /** The same for any broker. */
    RawClient connect(int nodeId) throws IOException {
        RawClient client = RawClient.connect(nodeAddress(nodeId));
        connections.add(client);
        warmupCounts = warmupCounts.plus(warmups.get(nodeId).accelerate(arm, client));
        return client;
    }

    /** Moves an idle connection to the first broker back onto the fast path, if there is one. */
    void accelerate(RawClient client) throws IOException {
        warmupCounts = warmupCounts.plus(warmups.get(nodes.firstKey()).accelerate(arm, client));
    }

    /** Returns random bytes, alternately incompressible and compressible. */
    byte[] value(int sizeBytes) {
        byte[] value = new byte[sizeBytes];
        if (random.nextBoolean()) {
            random.nextBytes(value);
        } else {
            Arrays.fill(value, (byte) random.nextInt());
        }
        return value;
    }

    byte[][] values(int count, int sizeBytes) {
        byte[][] values = new byte[count][];
        for (int i = 0; i < count; i++) {
            values[i] = value(sizeBytes);
        }
        return values;
    }

    MemoryRecords batch(int records, int sizeBytes) {
        return Batches.of(values(records, sizeBytes));
    }

    /** Produces one batch (acks=all, newest version) and notes the answer. */
    void produce(RawClient client, TopicRef topic, int partition, MemoryRecords records) throws IOException {
        call(
                client,
                "produce " + partition,
                ProduceRequests.version(ProduceRequests.NEWEST, -1)
                        .add(topic, partition, records)
                        .frame());
    }

    /** Fetches one partition (newest version) and notes the answer. */
    void fetch(RawClient client, TopicRef topic, int partition, long offset) throws IOException {
        call(
                client,
                "fetch " + partition + "@" + offset,
                FetchRequests.version(FetchRequests.NEWEST)
                        .add(topic, partition, offset)
                        .frame());
    }

    /** Sends, receives and notes. */
    RawResponse call(RawClient client, String label, RequestFrame frame) throws IOException {
        client.send(frame);
        RawResponse response = client.receive();
        transcript.note(label, response);
        return response;
    }

    /** As {@link #call}, for requests that a broker may answer, ignore, or answer by closing the connection. */
    void callOrClose(RawClient client, String label, RequestFrame frame) throws IOException {
        client.send(frame);
        try {
            transcript.note(label, client.receive());
        } catch (EOFException | SocketException closed) {
            transcript.note(label, "connection closed");
        } catch (SocketTimeoutException silent) {
            transcript.note(label, "no answer");
        }
    }

    void note(String label, Object value) {
        transcript.note(label, value);
    }

    @Override
    public void close() throws IOException {
        for (RawClient connection : connections) {
            connection.close();
        }
    }
}
