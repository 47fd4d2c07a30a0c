// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.ProxyProcess;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Disconnected clients leave no state behind. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ResidueIT {
    @Test
    void shouldHoldNoStateForDisconnectedClients() throws Exception {
        try (BrokerProcess broker =
                        BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
                ProxyProcess proxy = Faults.startLinked(broker)) {
            stream(broker, proxy);
            Faults.awaitIdle(proxy);
            double registeredOnce = registeredBytesOfALink(proxy);
            for (int i = 0; i < 3; i++) {
                stream(broker, proxy);
                Faults.awaitIdle(proxy);
            }

            assertThat(registeredBytesOfALink(proxy))
                    .as("registered bytes of a link after more clients have disconnected")
                    .isLessThanOrEqualTo(registeredOnce);
        }
    }

    /** Each event loop has a link, from its first client on. */
    private static double registeredBytesOfALink(ProxyProcess proxy) {
        MetricSamples samples = proxy.metrics();
        return samples.sum("slipstream_registered_bytes") / samples.sum("slipstream_links_up");
    }

    private static void stream(BrokerProcess broker, ProxyProcess proxy) throws Exception {
        try (RecordStream stream = new RecordStream(broker.bootstrapServers(), "residue", new Random(Seed.ofRun()))) {
            stream.consume(proxy.bootstrapServers());
            stream.produce(proxy.bootstrapServers(), 3_000);
            stream.verify();
        }
        Faults.assertMostlyByRdma(proxy, "PRODUCE");
    }
}
