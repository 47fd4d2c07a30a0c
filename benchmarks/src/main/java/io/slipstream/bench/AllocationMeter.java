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
 * What threads of another JVM have allocated on its heap, as the JVM itself counts it, asked over the management agent that attaching
 * starts there. Only the named threads count, so the agent's own do not.
 */
final class AllocationMeter implements AutoCloseable {
    /** All that a Kafka request passes in a broker, stock or ours. */
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

    /** Throws IOException if the JVM cannot be attached to. */
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

    /** Bytes that the threads of those names have allocated since they started. Throws IllegalStateException if there is no such thread. */
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
