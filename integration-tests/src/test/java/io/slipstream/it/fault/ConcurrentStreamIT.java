// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Several consumers read one partition concurrently, by RDMA and by TCP, while its segments roll. {@link
 * SharedPartitionIT} tests several writers.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("thorough")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ConcurrentStreamIT {
    /** Below Kafka's public minimum of 1 MiB: the log rolls every few hundred batches. */
    private static final String[] SMALL_SEGMENTS = {"internal.segment.bytes", "300000"};

    private BrokerProcess broker;
    private ProxyProcess first;
    private ProxyProcess second;

    @BeforeAll
    void start() {
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
        first = Faults.startLinked(broker);
        second = Faults.startLinked(broker);
    }

    @AfterAll
    void stop() {
        for (AutoCloseable process : new AutoCloseable[] {first, second, broker}) {
            Faults.close(process);
        }
    }

    @Test
    void shouldDeliverAllRecordsInOrderToEachOfTwoConsumers() throws Exception {
        try (RecordStream stream =
                new RecordStream(broker.bootstrapServers(), "two-consumers", new Random(Seed.ofRun()))) {
            stream.consume(first.bootstrapServers());
            stream.consume(first.bootstrapServers());
            stream.produce(first.bootstrapServers(), 10_000);

            stream.verify();
        }
        Faults.assertMostlyByRdma(first, "FETCH");
    }

    @Test
    void shouldReadARolledLogFromItsStart() throws Exception {
        String direct = broker.bootstrapServers();
        try (RecordStream stream = new RecordStream(direct, "catch-up", new Random(Seed.ofRun()), SMALL_SEGMENTS)) {
            stream.produce(direct, 10_000);
            stream.awaitAcknowledged(1);

            stream.consume(first.bootstrapServers());
            stream.consume(second.bootstrapServers());

            stream.verify();
        }
        Faults.assertMostlyByRdma(second, "FETCH");
    }
}
