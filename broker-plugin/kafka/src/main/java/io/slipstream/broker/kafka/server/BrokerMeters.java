// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.metrics.BrokerGauge;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;

/** The plugin's meters in the broker's own registry, and so in its JMX and its reporters. */
final class BrokerMeters implements AutoCloseable {
    private static final String GROUP = "io.slipstream.broker";
    private static final String TYPE = "Plugin";

    private final KafkaMetricsGroup group = new KafkaMetricsGroup(GROUP, TYPE);
    private final List<BrokerGauge> published = new ArrayList<>();

    BrokerMeters(List<BrokerGauge> gauges) {
        for (BrokerGauge gauge : gauges) {
            group.newGauge(gauge.name(), () -> gauge.value().getAsLong(), gauge.tags());
            published.add(gauge);
        }
    }

    @Override
    public void close() {
        published.forEach(gauge -> group.removeMetric(gauge.name(), gauge.tags()));
        published.clear();
    }
}
