// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.process.BrokerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.kafka.common.TopicPartition;

/** Counters of the plugin in a running broker since its start, read over JMX. The broker needs no special setting. */
public final class PluginCounts implements AutoCloseable {
    private static final String BEAN = "io.slipstream.broker:type=Plugin";

    private final long pid;
    private final JMXConnector connector;
    private final MBeanServerConnection connection;

    private PluginCounts(long pid, JMXConnector connector) throws IOException {
        this.pid = pid;
        this.connector = connector;
        this.connection = connector.getMBeanServerConnection();
    }

    /** Valid until that broker process ends. */
    public static PluginCounts of(BrokerProcess broker) {
        long pid = broker.pid();
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                JMXServiceURL url = new JMXServiceURL(machine.startLocalManagementAgent());
                return new PluginCounts(pid, JMXConnectorFactory.connect(url));
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IllegalStateException("no counters of broker process " + pid, e);
        } catch (IOException e) {
            throw new UncheckedIOException("no counters of broker process " + pid, e);
        }
    }

    /** Returns whether the broker has not restarted since. */
    public boolean isOf(BrokerProcess broker) {
        return broker.pid() == pid;
    }

    /** @param counter a name of {@code PluginMeter} */
    public long get(String counter) {
        return gauge(PluginMeter.valueOf(counter).jmxName());
    }

    /**
     * Returns a meter of the plugin. {@code name} is the bean's name after {@code
     * io.slipstream.broker:type=Plugin,name=}.
     */
    public long gauge(String name) {
        return attribute(BEAN + ",name=" + name, "Value").longValue();
    }

    /** Returns the count of a broker meter. {@code name} is the bean's name after {@code kafka.server:type=}. */
    public long meter(String name) {
        return attribute("kafka.server:type=" + name, "Count").longValue();
    }

    /**
     * Returns an attribute of a broker bean with client metrics. {@code name} is the bean's name after {@code
     * kafka.server:type=}.
     */
    public double measure(String name, String attribute) {
        return attribute("kafka.server:type=" + name, attribute).doubleValue();
    }

    /** Returns a gauge of the broker's log of a partition, such as {@code LogStartOffset}. */
    public long ofLog(String gauge, TopicPartition partition) {
        String bean = "kafka.log:type=Log,name=%s,topic=%s,partition=%d"
                .formatted(gauge, partition.topic(), partition.partition());
        return attribute(bean, "Value").longValue();
    }

    private Number attribute(String bean, String name) {
        try {
            return (Number) connection.getAttribute(new ObjectName(bean), name);
        } catch (JMException e) {
            throw new IllegalStateException("no " + name + " of " + bean + " in broker process " + pid, e);
        } catch (IOException e) {
            throw new UncheckedIOException("no beans of broker process " + pid, e);
        }
    }

    /** Returns all beans of the broker. Valid until {@link #close}. */
    public MBeanServerConnection beans() {
        return connection;
    }

    @Override
    public void close() {
        try {
            connector.close();
        } catch (IOException e) {
            // The broker has ended.
        }
    }
}
