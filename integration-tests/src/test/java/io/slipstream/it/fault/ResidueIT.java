// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
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
                // A second event loop, once the first one is saturated, would have a link of its own.
                ProxyProcess proxy = ProxyProcess.builder(broker)
                        .property("event.loops", "1")
                        .start()) {
            assertThat(proxy.awaitLink(Patience.ofSeconds(20))).as("a link").isTrue();
            stream(broker, proxy);
            Faults.awaitIdle(proxy);
            double registeredOnce = proxy.metrics().sum("slipstream_registered_bytes");
            for (int i = 0; i < 3; i++) {
                stream(broker, proxy);
                Faults.awaitIdle(proxy);
            }

            assertThat(proxy.metrics().sum("slipstream_registered_bytes"))
                    .as("registered bytes after more clients have disconnected")
                    .isLessThanOrEqualTo(registeredOnce);
        }
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
