// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.ObjectName;

/** Meters of the brokers in this JVM, read over JMX. */
final class JmxCount {
    private JmxCount() {}

    /**
     * Returns the count of the topic's meter of that name; -1 if there is none. The first broker that stops removes the
     * meters of all topics from the JVM.
     */
    static long of(String meter, String topic) throws Exception {
        String name = "kafka.server:type=BrokerTopicMetrics,name=" + meter + ",topic=" + topic;
        try {
            return (Long) ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName(name), "Count");
        } catch (InstanceNotFoundException none) {
            return -1;
        }
    }
}
