package io.slipstream.it.fault;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.ProxyProcess;
import io.slipstream.it.Seed;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Processes die in mid-stream; stock clients recover by themselves and every acknowledged record is there exactly once. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KillIT {
    private static final int RECORDS = 40_000;
    private static final int MORE_RECORDS = 100;

    private BrokerProcess broker;
    private ProxyProcess proxy;

    @BeforeAll
    void start() {
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
        proxy = ProxyProcess.builder(broker).start();
    }

    @AfterAll
    void stop() {
        Faults.close(proxy);
        Faults.close(broker);
    }

    private Stream stream(String name) throws Exception {
        Stream stream = new Stream(broker.bootstrapServers(), name, new Random(Seed.ofRun()));
        stream.consume(proxy.bootstrapServers());
        stream.produce(proxy.bootstrapServers(), RECORDS);
        return stream;
    }

    @Test
    void shouldLoseNothingWhenTheProxyIsKilled() throws Exception {
        try (Stream stream = stream("proxy-killed")) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(proxy, "PRODUCE");

            proxy.kill9();
            proxy.restart();

            stream.verify();
            Faults.assertMostlyByRdma(proxy, "PRODUCE");
        }
    }

    @Test
    void shouldLoseNothingWhenTheBrokerIsKilled() throws Exception {
        try (Stream stream = stream("broker-killed")) {
            stream.awaitAcknowledged(0.2);

            long byRdma = Faults.requests(proxy, "PRODUCE", "rdma");
            broker.kill9();
            broker.restart();
            awaitMore(stream, "rdma", byRdma);

            stream.verify();
        }
    }

    @Test
    void shouldGoOnOverTcpWithoutThePluginAndByRdmaWhenItIsBack() throws Exception {
        try (Stream stream = stream("plugin-lost")) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(proxy, "PRODUCE");

            long byTcp = Faults.requests(proxy, "PRODUCE", "tcp");
            broker.restartWithAgent(false);
            awaitMore(stream, "tcp", byTcp);

            long byRdma = Faults.requests(proxy, "PRODUCE", "rdma");
            broker.restartWithAgent(true);
            awaitMore(stream, "rdma", byRdma);

            stream.verify();
        }
    }

    /** Waits until more Produce requests went that way than before; a stream that is over by then is continued. */
    private void awaitMore(Stream stream, String path, long before) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .alias("PRODUCE by " + path)
                .until(() -> {
                    if (Faults.requests(proxy, "PRODUCE", path) > before) {
                        return true;
                    }
                    if (stream.isProduced()) {
                        stream.produce(proxy.bootstrapServers(), MORE_RECORDS);
                    }
                    return false;
                });
    }
}
