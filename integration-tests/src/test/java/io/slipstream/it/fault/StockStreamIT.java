// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The control: the same stream and fault without Slipstream, so that other tests require only guarantees of stock
 * Kafka. Known violations also belong here: the checker counts duplicates under a later producer epoch separately.
 */
@Tag("thorough")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class StockStreamIT {
    @Test
    void shouldLoseNothingButForgetBatchesWhenAStockBrokerIsKilledWhileSegmentsRoll() throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST).start();
                RecordStream stream = new RecordStream(
                        broker.bootstrapServers(),
                        "stock",
                        new Random(Seed.ofRun()),
                        "internal.segment.bytes",
                        "300000")) {
            stream.consume(broker.bootstrapServers());
            stream.produce(broker.bootstrapServers(), 20_000);
            stream.produce(broker.bootstrapServers(), 20_000);
            RetriedBatches retried = new RetriedBatches(broker.bootstrapServers());
            stream.awaitAcknowledged(0.2);

            broker.kill9();
            broker.restart();

            retried.verifyThatOnlyTheLastIsRemembered();
            stream.verify();
            assertThat(Faults.segments(broker, stream.topic())).isGreaterThan(5);
        }
    }
}
