// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several proxies and direct clients write one partition while its segments roll, with and without idempotence, with
 * acks=1 and acks=all. No record is lost, duplicated or out of order, also when one of the proxies is killed.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class SharedPartitionIT {
    /** Below Kafka's public minimum of 1 MiB: the log rolls every few hundred batches. */
    private static final String[] SMALL_SEGMENTS = {"internal.segment.bytes", "300000"};

    private static final int RECORDS = 4_000;
    /** Two producers without retries may have this many unacknowledged sends. */
    private static final int MOST_FAILED = 1_000;

    private BrokerProcess broker;
    private ProxyProcess first;
    private ProxyProcess second;

    private void start(BrokerLine line) {
        broker = BrokerProcess.builder(line).withAgent().start();
        first = Faults.startLinked(broker);
        second = Faults.startLinked(broker);
    }

    @AfterEach
    void stop() {
        for (AutoCloseable process : new AutoCloseable[] {first, second, broker}) {
            Faults.close(process);
        }
    }

    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#drawnLines")
    void shouldKeepOrderOfAllWritersWhileSegmentsRollAndAProxyIsKilled(BrokerLine line) throws Exception {
        start(line);
        try (RecordStream stream = stream("shared")) {
            stream.verify();

            assertThat(Faults.segments(broker, stream.topic())).isGreaterThan(5);
        }
        for (ProxyProcess proxy : new ProxyProcess[] {first, second}) {
            Faults.assertMostlyByRdma(proxy, "PRODUCE");
            Faults.assertMostlyByRdma(proxy, "FETCH");
        }

        try (RecordStream stream = stream("proxy-killed")) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(first, "PRODUCE");

            first.kill9();
            first.restart();

            // Requests of the time before the new proxy has its sessions take TCP; it depends on the machine's speed.
            Faults.awaitMore(broker, first, stream, "rdma", 0);
            long byRdma = Faults.requests(first, "PRODUCE", "rdma");
            long byTcp = Faults.requests(first, "PRODUCE", "tcp");
            stream.produce(first.bootstrapServers(), RECORDS);
            stream.verify(MOST_FAILED);
            Faults.assertMostlyByRdma(first, "PRODUCE", byRdma, byTcp);
            Faults.assertMostlyByRdma(second, "PRODUCE");
        }
    }

    private RecordStream stream(String name) throws Exception {
        String direct = broker.bootstrapServers();
        RecordStream stream = new RecordStream(direct, name, new Random(Seed.ofRun()), SMALL_SEGMENTS);
        stream.consume(first.bootstrapServers());
        stream.consume(second.bootstrapServers());
        for (String bootstrap : new String[] {first.bootstrapServers(), second.bootstrapServers(), direct}) {
            for (StreamProducer.Kind kind : StreamProducer.Kind.values()) {
                stream.produce(kind, bootstrap, RECORDS);
            }
        }
        return stream;
    }
}
