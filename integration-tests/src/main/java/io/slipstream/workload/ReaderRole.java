package io.slipstream.workload;

import io.slipstream.history.ConsumerKind;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;

/** Reads all its partitions from the start, follows their ends, and now and then goes back somewhere. */
final class ReaderRole extends Role {
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final int GO_BACK_ONE_IN = 40;

    private final RecordedRun run;
    private final ClientSettings settings;
    private final boolean readCommitted;
    private final List<TopicPartition> partitions;
    private final Random random;

    ReaderRole(
            String name,
            RecordedRun run,
            ClientSettings settings,
            boolean readCommitted,
            List<TopicPartition> partitions,
            long seed) {
        super(name, run);
        this.run = run;
        this.settings = settings;
        this.readCommitted = readCommitted;
        this.partitions = partitions;
        random = new Random(seed ^ name.hashCode());
    }

    @Override
    Session open() {
        RecordingConsumer consumer = new RecordingConsumer(run, settings, ConsumerKind.ASSIGNED, "", readCommitted);
        consumer.assign(partitions);
        return new Session() {
            private boolean positioned;

            @Override
            public void step() {
                if (!positioned) {
                    consumer.seekToBeginning(partitions);
                    positioned = true;
                }
                consumer.poll(PATIENCE);
                if (random.nextInt(GO_BACK_ONE_IN) == 0) {
                    TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
                    long position = consumer.positions().getOrDefault(partition, 0L);
                    consumer.seek(partition, Math.max(0, position - random.nextInt(200)));
                }
            }

            @Override
            public void finish() {
                // Nothing was begun.
            }

            @Override
            public void close() {
                consumer.close();
            }
        };
    }
}
