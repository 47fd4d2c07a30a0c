// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ConsumerKind;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads all its partitions from the start and follows their ends. Sometimes it seeks back, a little or anywhere, even
 * to records that are being deleted, and later returns to its position.
 */
final class ReaderRole extends Role {
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final int GO_BACK_ONE_IN = 40;
    private static final int GO_AWAY_ONE_IN = 30;
    private static final int MOST_POLLS_AWAY = 8;

    private final RecordedRun run;
    private final ClientSettings settings;
    private final boolean readCommitted;
    private final List<TopicPartition> partitions;
    private final Random random;
    private final LongAdder given = new LongAdder();

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

    /** Returns the number of records so far. */
    long given() {
        return given.sum();
    }

    @Override
    Session open() {
        RecordingConsumer consumer = new RecordingConsumer(run, settings, ConsumerKind.ASSIGNED, "", readCommitted);
        consumer.assign(partitions);
        return new Session() {
            private boolean positioned;
            private TopicPartition away;
            private long backTo;
            private int pollsAway;

            @Override
            public void step() {
                if (!positioned) {
                    consumer.seekToBeginning(partitions);
                    positioned = true;
                }
                given.add(consumer.poll(PATIENCE).count());
                if (away != null) {
                    if (--pollsAway == 0) {
                        comeBack();
                    }
                } else if (random.nextInt(GO_AWAY_ONE_IN) == 0) {
                    goAway();
                } else if (random.nextInt(GO_BACK_ONE_IN) == 0) {
                    TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
                    long position = consumer.positions().getOrDefault(partition, 0L);
                    consumer.seek(partition, Math.max(0, position - random.nextInt(200)));
                }
            }

            private void goAway() {
                TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
                backTo = consumer.positions().getOrDefault(partition, 0L);
                if (backTo > 0) {
                    away = partition;
                    pollsAway = 1 + random.nextInt(MOST_POLLS_AWAY);
                    consumer.seek(partition, random.nextLong(backTo));
                }
            }

            /** Returns to the former position unless already there. */
            private void comeBack() {
                if (consumer.positions().getOrDefault(away, 0L) < backTo) {
                    consumer.seek(away, backTo);
                }
                away = null;
            }

            @Override
            public void finish() {
                // Nothing to complete.
            }

            @Override
            public void close() {
                consumer.close();
            }
        };
    }
}
