// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ConsumerKind;
import io.slipstream.history.ValueId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Copies a topic, partition by partition, with transactions that include the input's offsets. It aborts one transaction
 * in ten and repeats it.
 */
final class CopierRole extends Role {
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final int FILLER_BYTES = 64;
    private static final int ABORT_ONE_IN = 10;
    private static final int MOST_OLD_ANSWERS = 20;

    private final RecordedRun run;
    private final ClientSettings settings;
    private final ProducerPlan plan;
    private final String group;
    private final List<TopicPartition> inputs;
    private final String output;
    private final Random random;
    private final AtomicInteger acknowledged;
    /** The offsets of its last committed transactions. Confined to the role's thread. */
    private final Map<TopicPartition, Long> known = new HashMap<>();

    CopierRole(
            String name,
            RecordedRun run,
            ClientSettings settings,
            ProducerPlan plan,
            List<TopicPartition> inputs,
            String output,
            long seed,
            AtomicInteger acknowledged) {
        super(name, run);
        this.run = run;
        this.settings = settings;
        this.plan = plan;
        this.inputs = inputs;
        this.output = output;
        this.acknowledged = acknowledged;
        group = name;
        random = new Random(seed ^ name.hashCode());
    }

    @Override
    Session open() {
        RecordingProducer producer = new RecordingProducer(run, settings, plan, random, acknowledged);
        RecordingConsumer consumer = new RecordingConsumer(run, settings, ConsumerKind.ASSIGNED, group, true);
        consumer.assign(inputs);
        return new Session() {
            private boolean positioned;

            @Override
            public void step() {
                if (!positioned) {
                    seekToCommitted(consumer);
                    positioned = true;
                }
                ConsumerRecords<byte[], byte[]> records = consumer.poll(PATIENCE);
                if (!records.isEmpty()) {
                    positioned = copy(producer, consumer, records);
                }
            }

            @Override
            public void finish() {
                producer.flush();
            }

            @Override
            public void close() {
                consumer.close();
                producer.close();
            }
        };
    }

    /** Returns whether the consumer's position is still correct. */
    private boolean copy(
            RecordingProducer producer, RecordingConsumer consumer, ConsumerRecords<byte[], byte[]> records) {
        producer.begin();
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            SelfDescribingValue value = SelfDescribingValue.decode(record.value())
                    .orElseThrow(() -> new IllegalStateException("a broken value at offset " + record.offset() + " of "
                            + record.topic() + "-" + record.partition() + "; the history has it"));
            long source = ValueId.of(value.producer(), value.sequence());
            producer.send(new TopicPartition(output, record.partition()), FILLER_BYTES, source);
        }
        records.partitions()
                .forEach(
                        partition -> offsets.put(partition, consumer.positions().get(partition)));
        producer.sendOffsets(group, offsets, consumer.groupMetadata());
        boolean commit = random.nextInt(ABORT_ONE_IN) != 0;
        producer.end(commit);
        if (commit) {
            known.putAll(offsets);
        }
        return commit;
    }

    private void seekToCommitted(RecordingConsumer consumer) {
        Map<TopicPartition, OffsetAndMetadata> committed = committed(consumer);
        for (TopicPartition input : inputs) {
            OffsetAndMetadata offset = committed.get(input);
            if (offset == null) {
                consumer.seekToBeginning(List.of(input));
            } else {
                consumer.seek(input, offset.offset());
            }
        }
    }

    /**
     * A stock coordinator that was paused, and replaced meanwhile, answers with old offsets until it learns of its
     * successor (seed 929934384). So older offsets than this copier has committed are asked for again. The last answer
     * counts, whatever it is.
     */
    private Map<TopicPartition, OffsetAndMetadata> committed(RecordingConsumer consumer) {
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(inputs));
        for (int attempt = 0; attempt < MOST_OLD_ANSWERS && isOld(committed); attempt++) {
            LockSupport.parkNanos(PATIENCE.toNanos());
            committed = consumer.committed(Set.copyOf(inputs));
        }
        return committed;
    }

    private boolean isOld(Map<TopicPartition, OffsetAndMetadata> committed) {
        return known.entrySet().stream().anyMatch(each -> {
            OffsetAndMetadata offset = committed.get(each.getKey());
            return offset == null || offset.offset() < each.getValue();
        });
    }
}
