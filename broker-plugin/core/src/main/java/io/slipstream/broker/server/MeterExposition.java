// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import io.slipstream.broker.config.HostPort;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.metrics.MetricsServer;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.metrics.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the plugin's meters while its broker runs. A failure costs one warning and has no other effect. */
final class MeterExposition implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MeterExposition.class);

    private final PluginMeters meters;
    private MetricsServer server;
    private MeterRegistry.Registration published;

    /** @param address address of the page for Prometheus; null for none */
    MeterExposition(HostPort address, PluginMeters meters) {
        this.meters = meters;
        if (address != null) {
            try {
                server = MetricsServer.start(address, meters.registry::scrape);
                log.info("Slipstream's meters are on http:/{}/metrics", server.address());
            } catch (Exception | LinkageError e) {
                log.warn("{}: {}; the broker continues without this page", PluginKeys.METRICS_ADDRESS, e.getMessage());
            }
        }
    }

    /** Also shows all series, and those that come later, in the broker's own metrics registry. */
    void publish(KafkaLine line) {
        try {
            published = meters.showIn(line.gauges());
        } catch (RuntimeException | LinkageError e) {
            log.warn("Slipstream's meters are not in the broker's registry: {}", e.toString());
        }
    }

    @Override
    public void close() {
        if (published != null) {
            published.close();
        }
        if (server != null) {
            server.close();
        }
    }
}
