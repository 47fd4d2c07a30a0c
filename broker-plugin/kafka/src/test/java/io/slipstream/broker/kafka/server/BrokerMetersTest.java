// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
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
        AutoCloseable published = new ServerLine(null).publish(meters.gauges());
        try {
            meters.add(PluginMeter.REQUESTS_LANDED, 5);
            meters.committed(3_000_000);
            assertThat(value("name=RequestsLanded")).isEqualTo(5L);
            assertThat(value("name=Fences,outcome=done")).isEqualTo(0L);
            assertThat(value("name=CommitLatencyCount")).isEqualTo(1L);
            assertThat(value("name=CommitLatencyTotalUs")).isEqualTo(3000L);
            for (PluginMeter meter : PluginMeter.values()) {
                assertThat(beans.queryNames(new ObjectName(BEAN + "name=" + meter.jmxName() + "*,*"), null))
                        .as(meter.jmxName())
                        .isNotEmpty();
            }
        } finally {
            published.close();
        }
        assertThat(beans.queryNames(new ObjectName(BEAN + "*"), null)).isEmpty();
    }
}
