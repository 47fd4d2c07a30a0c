// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demonstration directly at a stock broker: the report then shows Kafka's own behaviour. */
@Tag("thorough")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class DemonstrationIT {
    @Test
    void shouldFindNoErrorAtAStockBroker() {
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.KAFKA_4_3).start()) {
            DemonstrationResult result = new Demonstration(broker.bootstrapServers(), Admission.OPEN, 5_000, 1).run();

            assertThat(result.failure()).isNull();
            assertThat(result.produced()).isEqualTo(5_000);
            assertThat(result.consumed()).isEqualTo(5_000);
            assertThat(result.mismatches()).isZero();
            assertThat(result.deliveredNs().getTotalCount()).isEqualTo(500);
            assertThat(result.isExact()).isTrue();
        }
    }
}
