// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ProducerKind;
import io.slipstream.history.ValueId;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Sends values to random partitions, in transactions if its producer is transactional, and aborts one transaction in
 * ten.
 */
final class ProducerRole extends Role {
    private static final int MOST_UNANSWERED = 500;
    private static final int MOST_PER_STEP = 40;
    private static final int LARGE_ONE_IN = 50;
    private static final int ABORT_ONE_IN = 10;
    private static final int REFUSED_ONE_IN = 200;

    private final RecordedRun run;
    private final ClientSettings settings;
    private final ProducerPlan plan;
    private final List<TopicPartition> partitions;
    private final int mostFillerBytes;
    private final int refusedBytes;
    private final Random random;
    private final Pace pace;
    private final AtomicInteger acknowledged;

    ProducerRole(
            String name,
            RecordedRun run,
            WorkloadShape shape,
            int number,
            ProducerPlan plan,
            List<TopicPartition> partitions,
            WorkloadPlan workload,
            AtomicInteger acknowledged) {
        super(name, run);
        this.run = run;
        settings = shape.entrance(number);
        this.plan = plan;
        this.partitions = partitions;
        this.acknowledged = acknowledged;
        refusedBytes = plan.kind() == ProducerKind.PLAIN ? shape.refusedBytes() : 0;
        mostFillerBytes = workload.mostFillerBytes();
        random = new Random(workload.seed() ^ name.hashCode());
        pace = new Pace(workload.recordsPerSecond());
    }

    @Override
    Session open() {
        RecordingProducer producer = new RecordingProducer(run, settings, plan, random, acknowledged);
        boolean transactional = plan.kind() == ProducerKind.TRANSACTIONAL;
        return new Session() {
            @Override
            public void step() {
                int count = 1 + random.nextInt(MOST_PER_STEP);
                pace.await(count);
                if (transactional) {
                    transact(producer, count);
                } else {
                    awaitRoom(producer);
                    send(producer, count);
                }
            }

            @Override
            public void finish() {
                producer.flush();
            }

            @Override
            public void close() {
                producer.close();
            }
        };
    }

    private void transact(RecordingProducer producer, int count) {
        producer.begin();
        send(producer, count);
        producer.end(random.nextInt(ABORT_ONE_IN) != 0);
    }

    private void send(RecordingProducer producer, int count) {
        for (int i = 0; i < count; i++) {
            TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
            int most = random.nextInt(LARGE_ONE_IN) == 0 ? mostFillerBytes : Math.min(mostFillerBytes, 300);
            boolean refused = refusedBytes > 0 && random.nextInt(REFUSED_ONE_IN) == 0;
            producer.send(partition, refused ? refusedBytes : random.nextInt(most + 1), ValueId.NONE);
        }
    }

    private void awaitRoom(RecordingProducer producer) {
        Deadline deadline = Deadline.after(Patience.ofSeconds(120));
        if (!deadline.await(() -> producer.unanswered() < MOST_UNANSWERED)) {
            throw new TimeoutException(name() + ": " + producer.unanswered() + " sends are unanswered");
        }
    }
}
