// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.metrics.BrokerGauge;
import java.util.List;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;

/** The plugin's meters in the broker's own registry, and so in its JMX and its reporters. */
final class BrokerMeters implements AutoCloseable {
    private static final String GROUP = "io.slipstream.broker";
    private static final String TYPE = "Plugin";

    private final KafkaMetricsGroup group = new KafkaMetricsGroup(GROUP, TYPE);
    private final List<BrokerGauge> gauges;

    BrokerMeters(List<BrokerGauge> gauges) {
        this.gauges = gauges;
        gauges.forEach(gauge -> group.newGauge(gauge.name(), () -> gauge.value().getAsLong(), gauge.tags()));
    }

    @Override
    public void close() {
        gauges.forEach(gauge -> group.removeMetric(gauge.name(), gauge.tags()));
    }
}
