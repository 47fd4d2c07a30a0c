// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import io.slipstream.broker.hook.BrokerHooks;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.kafka.server.BrokerVersion;
import io.slipstream.broker.kafka.server.ServerLine;
import io.slipstream.broker.server.BrokerPlugin;
import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Entry point of the java agent. It identifies the broker's version and installs the hooks; the plugin starts once the
 * broker has started. Never throws and never stops a JVM. In a JVM that is no broker (a tool with the same
 * {@code KAFKA_OPTS}) it does nothing and logs nothing.
 */
public final class SlipstreamAgent {
    /** The tools of Kafka, which share {@code KAFKA_OPTS} with the broker. */
    private static final List<String> TOOL_PACKAGES = List.of(
            "kafka.tools.", "kafka.admin.", "kafka.docker.", "org.apache.kafka.tools.", "org.apache.kafka.connect.");

    private SlipstreamAgent() {}

    public static void premain(String arguments, Instrumentation instrumentation) {
        try {
            install(instrumentation);
        } catch (Throwable e) {
            System.err.println("Slipstream is inert, its agent could not be installed: " + e);
        }
    }

    private static void install(Instrumentation instrumentation) {
        ClassLoader brokerLoader = ClassLoader.getSystemClassLoader();
        String version = KafkaVersion.onClassPath(brokerLoader);
        String mainClass = System.getProperty("sun.java.command", "");
        if (version == null || TOOL_PACKAGES.stream().anyMatch(mainClass::startsWith)) {
            return;
        }
        KafkaLine line = ServiceLoader.load(BrokerVersion.class, SlipstreamAgent.class.getClassLoader()).stream()
                .map(candidate -> new ServerLine(candidate.get()))
                .filter(candidate -> candidate.supports(version))
                .findFirst()
                .orElse(null);
        if (line == null) {
            instrumentation.addTransformer(new UnsupportedBroker("Apache Kafka " + version + " is not supported"));
            return;
        }
        ModuleAccess.open(instrumentation);
        HookInstaller installer = new HookInstaller(line.hooks());
        BrokerHooks.listen(new BrokerPlugin(line, installer));
        installer.install(instrumentation, brokerLoader);
    }
}
