// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the counters in the broker's JMX. A failure is logged and has no other effect. */
public final class PluginJmx implements AutoCloseable {
    public static final String NAME = "io.slipstream.broker:type=Plugin";

    private static final Logger log = LoggerFactory.getLogger(PluginJmx.class);

    private final ObjectName name;

    private PluginJmx(ObjectName name) {
        this.name = name;
    }

    public static PluginJmx register(PluginMeters counters) {
        try {
            ObjectName name = new ObjectName(NAME);
            PluginMXBean bean = counters::snapshot;
            ManagementFactory.getPlatformMBeanServer()
                    .registerMBean(new StandardMBean(bean, PluginMXBean.class, true), name);
            return new PluginJmx(name);
        } catch (JMException e) {
            log.warn("The plugin's counters are not in JMX: {}", e.toString());
            return new PluginJmx(null);
        }
    }

    @Override
    public void close() {
        if (name != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            } catch (JMException e) {
                log.debug("The plugin's counters were not in JMX any more", e);
            }
        }
    }
}
