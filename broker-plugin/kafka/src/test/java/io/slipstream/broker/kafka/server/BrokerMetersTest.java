// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.metrics.MeterRegistry;
import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class BrokerMetersTest {
    private static final String BEAN = "io.slipstream.broker:type=Plugin,";
    private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    private final PluginMeters meters = new PluginMeters();

    private Object value(String name) throws Exception {
        return beans.getAttribute(new ObjectName(BEAN + name), "Value");
    }

    @Test
    void shouldShowEveryMeterInTheBrokersJmxUntilClosed() throws Exception {
        meters.registry.count(PluginMeter.BUILD_INFO, "1.0", "4.x").increment();
        meters.registry.count(PluginMeter.RDMA_DEVICE, "verbs", "mlx5_0/1").increment();
        for (PluginMeter meter : PluginMeter.values()) {
            if (!meter.labels().isEmpty() && meter.labels().get(0).name().equals("leader")) {
                meters.registry.count(
                        meter, meter.labels().stream().map(label -> "2").toArray(String[]::new));
            }
        }
        try (MeterRegistry.Registration published = meters.showIn(new BrokerMeters())) {
            assertThat(published).isNotNull();
            meters.add(PluginMeter.REQUESTS_LANDED, 5);
            meters.commits.recordNs(3_000_000);
            assertThat(value("name=RequestsLanded")).isEqualTo(5L);
            assertThat(value("name=Fences,outcome=done")).isEqualTo(0L);
            assertThat(value("name=CommitLatencyCount")).isEqualTo(1L);
            assertThat(value("name=CommitLatencyTotalUs")).isEqualTo(3000L);
            for (PluginMeter meter : PluginMeter.values()) {
                assertThat(beans.queryNames(new ObjectName(BEAN + "name=" + meter.jmxName() + "*,*"), null))
                        .as(meter.jmxName())
                        .isNotEmpty();
            }
        }
        assertThat(beans.queryNames(new ObjectName(BEAN + "*"), null)).isEmpty();
    }

    @Test
    void shouldShowASeriesThatComesLaterUntilItIsRemoved() throws Exception {
        try (MeterRegistry.Registration published = meters.showIn(new BrokerMeters())) {
            assertThat(published).isNotNull();
            ObjectName device = new ObjectName(BEAN + "name=RdmaDevice,provider=verbs,device=rxe0");
            meters.registry.count(PluginMeter.RDMA_DEVICE, "verbs", "rxe0").increment();
            assertThat(beans.getAttribute(device, "Value")).isEqualTo(1L);

            meters.registry.remove(PluginMeter.RDMA_DEVICE, "verbs", "rxe0");
            assertThat(beans.isRegistered(device)).isFalse();
            assertThat(value("name=RequestsLanded")).isEqualTo(0L);
        }
        meters.registry.count(PluginMeter.RDMA_DEVICE, "verbs", "rxe1").increment();
        assertThat(beans.queryNames(new ObjectName(BEAN + "*"), null)).isEmpty();
    }
}
