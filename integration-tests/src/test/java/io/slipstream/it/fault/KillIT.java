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
 * Processes are killed during a stream. Stock clients recover by themselves, and every acknowledged record exists
 * exactly once. Most kills are in {@code CrashIT} and {@code ProcessFaultsIT}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KillIT {
    private static final int RECORDS = 40_000;

    private BrokerProcess broker;
    private ProxyProcess proxy;

    @BeforeAll
    void start() {
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
        proxy = Faults.startLinked(broker);
    }

    @AfterAll
    void stop() {
        Faults.close(proxy);
        Faults.close(broker);
    }

    private RecordStream stream(String name) throws Exception {
        RecordStream stream = new RecordStream(broker.bootstrapServers(), name, new Random(Seed.ofRun()));
        stream.consume(proxy.bootstrapServers());
        stream.produce(proxy.bootstrapServers(), RECORDS);
        return stream;
    }

    @Tag("thorough")
    @Test
    void shouldLoseNothingWhenTheProxyIsKilled() throws Exception {
        try (RecordStream stream = stream("proxy-killed")) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(proxy, "PRODUCE");

            proxy.kill9();
            proxy.restart();

            stream.verify();
            Faults.assertMostlyByRdma(proxy, "PRODUCE");
        }
    }

    @Tag("thorough")
    @Test
    void shouldLoseNothingWhenTheBrokerIsKilled() throws Exception {
        try (RecordStream stream = stream("broker-killed")) {
            stream.awaitAcknowledged(0.2);

            long byRdma = Faults.requests(proxy, "PRODUCE", "rdma");
            broker.kill9();
            broker.restart();
            Faults.awaitMore(broker, proxy, stream, "rdma", byRdma);

            stream.verify();
        }
    }

    @Test
    void shouldUseTcpWithoutThePluginAndRdmaAfterItReturns() throws Exception {
        try (RecordStream stream = stream("plugin-lost")) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(proxy, "PRODUCE");

            long byTcp = Faults.requests(proxy, "PRODUCE", "tcp");
            broker.restartWithAgent(false);
            Faults.awaitMore(broker, proxy, stream, "tcp", byTcp);

            long byRdma = Faults.requests(proxy, "PRODUCE", "rdma");
            broker.restartWithAgent(true);
            Faults.awaitMore(broker, proxy, stream, "rdma", byRdma);

            stream.verify();
        }
    }
}
