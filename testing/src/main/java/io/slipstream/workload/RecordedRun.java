// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.CopyDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.Declaration.RunDeclared;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunKind;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;

/**
 * One recorded run: its recorder, and the numbers of its partitions, producers and consumers in the history. Safe for
 * concurrent use.
 */
public final class RecordedRun {
    private final Recorder recorder;
    private final int cluster;
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final Map<TopicPartition, Integer> numbers = new HashMap<>();
    private final Map<Integer, String> topics = new HashMap<>();
    /** Names of the clients' threads, by number of a session. */
    private final Map<Integer, String> producerNames = new HashMap<>();

    private final Map<Integer, String> consumerNames = new HashMap<>();
    private int producers;
    private int consumers;
    private int connections;

    /** Records the run's declaration. */
    public RecordedRun(Recorder recorder, RunKind kind, String arm, long seed, String clusterId) {
        this.recorder = recorder;
        cluster = SelfDescribingValue.nameHash(clusterId);
        recorder.record(new RunDeclared(kind, arm, seed, clusterId));
    }

    public Recorder recorder() {
        return recorder;
    }

    /** Declares a new or recreated topic. */
    public synchronized void declareTopic(String topic, int partitionCount) {
        for (int index = 0; index < partitionCount; index++) {
            TopicPartition partition = new TopicPartition(topic, index);
            recorder.record(new PartitionDeclared(partitions.size(), topic, index));
            numbers.put(partition, partitions.size());
            partitions.add(partition);
        }
        String other = topics.putIfAbsent(SelfDescribingValue.nameHash(topic), topic);
        if (other != null && !other.equals(topic)) {
            throw new IllegalArgumentException(
                    "topics " + topic + " and " + other + " have the same check sum; rename one");
        }
    }

    public synchronized void declareCopy(TopicPartition input, TopicPartition output, String group) {
        recorder.record(new CopyDeclared(number(input), number(output), group));
    }

    synchronized int declareProducer(ProducerKind kind, int acks, String transactionalId) {
        recorder.record(new ProducerDeclared(producers, kind, acks, true, transactionalId));
        producerNames.put(producers, Thread.currentThread().getName());
        return producers++;
    }

    synchronized int declareConsumer(ConsumerKind kind, String group, boolean readCommitted) {
        recorder.record(new ConsumerDeclared(consumers, kind, group, readCommitted));
        consumerNames.put(consumers, Thread.currentThread().getName());
        return consumers++;
    }

    /** Returns the number of another raw connection. */
    synchronized int nextConnection() {
        return connections++;
    }

    public synchronized ClientNames clientNames() {
        return new ClientNames(producerNames, consumerNames);
    }

    /** Returns the partition's number in the history; the newest one for a recreated topic. */
    public synchronized int number(TopicPartition partition) {
        Integer number = numbers.get(partition);
        if (number == null) {
            throw new IllegalArgumentException("partition " + partition + " was not declared");
        }
        return number;
    }

    /** Returns all declared and not replaced partitions, by number. */
    public synchronized List<TopicPartition> partitions() {
        return partitions.stream().distinct().toList();
    }

    SelfDescribingValue describe(TopicPartition partition, int producer, int sequence) {
        return new SelfDescribingValue(
                cluster, SelfDescribingValue.nameHash(partition.topic()), partition.partition(), producer, sequence);
    }

    /** Adds the self-description of a record to a run of records. */
    void add(
            RecordRun.Builder run,
            long offset,
            int leaderEpoch,
            byte[] key,
            byte[] value,
            Iterable<Header> headers,
            TimestampType type,
            long timestampMs) {
        int digest = RecordDigest.of(key, value, headers, type, timestampMs);
        Optional<SelfDescribingValue> self = SelfDescribingValue.decode(value);
        if (self.isEmpty()) {
            run.add(offset, ValueId.NONE, RecordRun.CORRUPT, digest, leaderEpoch);
        } else {
            long id = ValueId.of(self.get().producer(), self.get().sequence());
            run.add(offset, id, home(self.get()), digest, leaderEpoch);
        }
    }

    private synchronized int home(SelfDescribingValue value) {
        String topic = topics.get(value.topic());
        if (value.cluster() != cluster || topic == null) {
            return RecordRun.FOREIGN;
        }
        return numbers.getOrDefault(new TopicPartition(topic, value.partition()), RecordRun.FOREIGN);
    }
}
