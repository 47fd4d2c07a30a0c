// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.trace;

import static org.awaitility.Awaitility.await;

import com.sun.tools.attach.VirtualMachine;
import io.slipstream.process.Checkout;
import io.slipstream.process.Patience;
import io.slipstream.traced.CallTracer;
import io.slipstream.traced.CallsMXBean;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.management.JMX;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** A process that has loaded the {@link CallTracer}. */
final class TracedProcess implements AutoCloseable {
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final int QUIET_LOOKS = 3;

    private final JMXConnector connector;
    private final CallsMXBean calls;

    private TracedProcess(JMXConnector connector) throws Exception {
        this.connector = connector;
        calls = JMX.newMXBeanProxy(
                connector.getMBeanServerConnection(), new ObjectName(CallTracer.BEAN), CallsMXBean.class);
    }

    static TracedProcess of(long pid) throws Exception {
        Path target = Checkout.root().resolve("testing/target");
        VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "*-planted-bugs.jar")) {
            machine.loadAgent(jars.iterator().next().toString());
            return new TracedProcess(
                    JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent())));
        } finally {
            machine.detach();
        }
    }

    void start() {
        calls.start();
    }

    /** Waits until the process makes no more calls, so that it has finished the request. Returns the calls. */
    List<String> stop() {
        int[] last = {-1};
        int[] looks = {0};
        await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(LOOK).until(() -> {
            int count = calls.getCount();
            looks[0] = count == last[0] ? looks[0] + 1 : 0;
            last[0] = count;
            return looks[0] == QUIET_LOOKS;
        });
        return calls.stop();
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
