// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.regex.Pattern;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Meters the heap allocation of threads in another JVM. It reads the JVM's own counters over the management agent,
 * which attaching starts. It counts only threads with matching names and therefore not the agent's own.
 */
final class AllocationMeter implements AutoCloseable {
    /** The threads that handle Kafka requests in a broker, with or without the plugin. */
    static final Pattern BROKER_THREADS =
            Pattern.compile("data-plane-kafka-(network-thread|request-handler)-.*|slipstream-request-handler-.*");

    static final Pattern PROXY_THREADS = Pattern.compile("slipstream-loop-.*");

    private final JMXConnector connector;
    private final ThreadMXBean threads;
    private final Pattern names;

    private AllocationMeter(JMXConnector connector, ThreadMXBean threads, Pattern names) {
        this.connector = connector;
        this.threads = threads;
        this.names = names;
    }

    /** @throws IOException if attaching to the JVM fails */
    static AllocationMeter attach(long pid, Pattern names) throws IOException {
        JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(startAgent(pid)));
        ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                connector.getMBeanServerConnection(), ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        return new AllocationMeter(connector, threads, names);
    }

    private static String startAgent(long pid) throws IOException {
        VirtualMachine machine;
        try {
            machine = VirtualMachine.attach(Long.toString(pid));
        } catch (AttachNotSupportedException e) {
            throw new IOException("cannot attach to process " + pid, e);
        }
        try {
            return machine.startLocalManagementAgent();
        } finally {
            machine.detach();
        }
    }

    /**
     * Returns the bytes allocated by the matching threads since their start.
     *
     * @throws IllegalStateException if no thread matches
     */
    long readBytes() {
        long[] ids = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread ->
                        thread != null && names.matcher(thread.getThreadName()).matches())
                .mapToLong(ThreadInfo::getThreadId)
                .toArray();
        if (ids.length == 0) {
            throw new IllegalStateException("no thread is named " + names);
        }
        return Arrays.stream(threads.getThreadAllocatedBytes(ids))
                .map(bytes -> Math.max(0, bytes))
                .sum();
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
