// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.metrics.BrokerGauges;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plugin's meters in the broker's own registry. A failure costs a warning and has no other effect. */
final class BrokerMeters implements BrokerGauges {
    private static final Logger log = LoggerFactory.getLogger(BrokerMeters.class);

    private final KafkaMetricsGroup group = new KafkaMetricsGroup("io.slipstream.broker", "Plugin");

    @Override
    public void add(BrokerGauges.Gauge gauge) {
        try {
            group.newGauge(gauge.name(), () -> gauge.value().getAsLong(), gauge.tags());
        } catch (RuntimeException | LinkageError e) {
            log.warn("{} is not in the broker's registry: {}", gauge.name(), e.toString());
        }
    }

    @Override
    public void remove(BrokerGauges.Gauge gauge) {
        try {
            group.removeMetric(gauge.name(), gauge.tags());
        } catch (RuntimeException | LinkageError e) {
            log.warn("{} is still in the broker's registry: {}", gauge.name(), e.toString());
        }
    }
}
