// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RunKind;
import io.slipstream.history.ValueId;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The final read of a history when a broker leaves a transaction open. */
@Tag("thorough")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class FinalReadIT {
    private static final TopicPartition OPEN = new TopicPartition("open", 0);
    private static final TopicPartition ENDED = new TopicPartition("ended", 0);

    @Test
    void shouldReadEverythingBeforeAnOpenTransaction() throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST).start()) {
            createTopics(broker);
            ClientSettings settings = ClientSettings.of(broker.bootstrapServers());
            MemoryHistory history = new MemoryHistory();
            RecordedRun run = new RecordedRun(history, RunKind.WORKLOAD, "direct", 1, broker.clusterId());
            run.declareTopic(OPEN.topic(), 1);
            run.declareTopic(ENDED.topic(), 1);
            ProducerPlan plan = new ProducerPlan(ProducerKind.TRANSACTIONAL, -1, "transactional", "none");
            AtomicInteger acknowledged = new AtomicInteger();
            try (RecordingProducer producer = new RecordingProducer(run, settings, plan, new Random(1), acknowledged)) {
                send(producer, OPEN, ENDED);
                producer.end(true);
                send(producer, OPEN);

                List<TopicPartition> behind = FinalRead.record(run, settings, true, Patience.ofSeconds(3));

                assertThat(behind).containsExactly(OPEN);
                assertThat(recordsRead(history, run.number(OPEN))).isOne();
                assertThat(recordsRead(history, run.number(ENDED))).isOne();
                producer.end(true);
                assertThat(FinalRead.record(run, settings, true, Patience.ofSeconds(30)))
                        .isEmpty();
            }
        }
    }

    private static void createTopics(BrokerProcess broker) throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(
                            new NewTopic(OPEN.topic(), 1, (short) 1), new NewTopic(ENDED.topic(), 1, (short) 1)))
                    .all()
                    .get();
        }
    }

    /** Starts a transaction with one record per partition. */
    private static void send(RecordingProducer producer, TopicPartition... partitions) {
        producer.begin();
        for (TopicPartition partition : partitions) {
            producer.send(partition, 0, ValueId.NONE);
        }
        producer.flush();
    }

    private static int recordsRead(MemoryHistory history, int partition) {
        return history.events().stream()
                .filter(Polled.class::isInstance)
                .map(Polled.class::cast)
                .filter(polled -> polled.partition() == partition)
                .mapToInt(polled -> polled.records().size())
                .sum();
    }
}
