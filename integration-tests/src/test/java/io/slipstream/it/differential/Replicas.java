// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.faults.Signals;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * The first broker, which leads and is the controller, and the second one, which follows, stops, and temporarily leads.
 */
final class Replicas {
    private static final Duration PATIENCE = Patience.ofSeconds(40);

    /** State of a thread in /proc. */
    private static final char STOPPED = 'T';

    private static final byte PREFERRED = 0;

    /** Queries as a replica: returns the end of the log instead of the high watermark. */
    private static final int ANY_REPLICA = -2;

    private final BrokerProcess first;
    private final BrokerProcess second;

    Replicas(List<BrokerProcess> brokers) {
        first = brokers.get(0);
        second = brokers.get(1);
    }

    @FunctionalInterface
    interface Body {
        void run() throws Exception;
    }

    /** Runs the body while the follower is paused: it stays in the ISR but acknowledges nothing. */
    void whileFollowerIsPaused(Body body) throws Exception {
        Signals.stop(second.pid());
        try {
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2))
                    .alias("a follower with every thread stopped")
                    .until(() -> isPaused(second.pid()));
            body.run();
        } finally {
            Signals.resume(second.pid());
        }
    }

    /** On a busy machine some threads of a process continue for a while after the signal. */
    private static boolean isPaused(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.allMatch(Replicas::isStopped);
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == STOPPED;
        } catch (IOException gone) {
            return true;
        }
    }

    /** Shuts the follower down cleanly unless done. Returns when the leader has removed it from the ISR. */
    void withoutFollower(TopicRef topic) {
        if (second.isAlive()) {
            second.stop();
        }
        awaitError(first, topic, Errors.NOT_ENOUGH_REPLICAS);
    }

    /** Starts the follower if needed. Returns when the leader has it in the ISR. */
    void withFollower(TopicRef topic) {
        if (!second.isAlive()) {
            second.restart();
        }
        awaitError(first, topic, Errors.CORRUPT_MESSAGE);
    }

    /**
     * Makes the controller elect another in-sync node as leader of partition 0. Returns when the first broker applies
     * it.
     */
    void elect(TopicRef topic, int nodeId) throws IOException {
        AlterPartitionReassignmentsRequestData order = new AlterPartitionReassignmentsRequestData()
                .setTopics(List.of(new ReassignableTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(new ReassignablePartition()
                                .setPartitionIndex(0)
                                .setReplicas(List.of(nodeId, 3 - nodeId))))));
        ElectLeadersRequestData election = new ElectLeadersRequestData().setElectionType(PREFERRED);
        election.topicPartitions()
                .add(new TopicPartitions().setTopic(topic.name()).setPartitions(List.of(0)));
        // Uses raw requests to the first broker, because an Admin client would also contact the other one, which may be
        // paused.
        try (RawClient client = RawClient.connect(first.bootstrapServers())) {
            client.call(0, order, AlterPartitionReassignmentsResponseData.class);
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .alias("election of node " + nodeId)
                    .until(() -> isElected(client.call(2, election, ElectLeadersResponseData.class)));
        }
        awaitError(first, topic, nodeId == 1 ? Errors.CORRUPT_MESSAGE : Errors.NOT_LEADER_OR_FOLLOWER);
    }

    private static boolean isElected(ElectLeadersResponseData answer) {
        short error =
                answer.replicaElectionResults().get(0).partitionResult().get(0).errorCode();
        return error == Errors.NONE.code() || error == Errors.ELECTION_NOT_NEEDED.code();
    }

    /** Returns when both brokers apply that leader. */
    void awaitLeader(TopicRef topic, int nodeId) {
        awaitError(first, topic, nodeId == 1 ? Errors.CORRUPT_MESSAGE : Errors.NOT_LEADER_OR_FOLLOWER);
        awaitError(second, topic, nodeId == 2 ? Errors.CORRUPT_MESSAGE : Errors.NOT_LEADER_OR_FOLLOWER);
    }

    /** Waits until the first broker's log reaches this offset, whatever its high watermark. */
    void awaitEnd(TopicRef topic, long endOffset) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .alias("log end " + endOffset)
                .until(() -> end(topic) == endOffset);
    }

    /** Waits until both logs on disk are equal and not empty. */
    void awaitSameLogs(TopicRef topic) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .alias("equal logs of " + topic.name())
                .untilAsserted(() -> assertThat(log(second, topic))
                        .isEqualTo(log(first, topic))
                        .contains("0..1"));
    }

    private static String log(BrokerProcess broker, TopicRef topic) throws IOException {
        return LogText.of(broker.logDirectory().resolve(topic.name() + "-0"));
    }

    private long end(TopicRef topic) throws IOException {
        ListOffsetsRequestData request = new ListOffsetsRequestData()
                .setReplicaId(ANY_REPLICA)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1)))));
        try (RawClient client = RawClient.connect(first.bootstrapServers())) {
            return client.call(7, request, ListOffsetsResponseData.class)
                    .topics()
                    .get(0)
                    .partitions()
                    .get(0)
                    .offset();
        }
    }

    /**
     * Waits for the broker's error for a Produce (acks=all) with a wrong checksum; leadership and the ISR are checked
     * first.
     */
    private static void awaitError(BrokerProcess broker, TopicRef topic, Errors expected) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .alias(expected + " of broker " + broker.nodeId())
                .until(() -> probe(broker, topic) == expected);
    }

    private static Errors probe(BrokerProcess broker, TopicRef topic) throws IOException {
        try (RawClient client = RawClient.connect(broker.bootstrapServers())) {
            client.send(ProduceRequests.version(12, -1)
                    .add(topic, 0, Batches.withWrongCrc(Batches.of(new byte[1])))
                    .frame());
            ProduceResponseData answer = client.receive().as(ProduceResponseData.class);
            return Errors.forCode(answer.responses()
                    .iterator()
                    .next()
                    .partitionResponses()
                    .get(0)
                    .errorCode());
        }
    }
}
