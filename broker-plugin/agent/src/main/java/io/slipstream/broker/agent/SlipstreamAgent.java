// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import io.slipstream.broker.hook.BrokerHooks;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.kafka.server.BrokerVersion;
import io.slipstream.broker.kafka.server.ServerLine;
import io.slipstream.broker.server.BrokerPlugin;
import java.lang.instrument.Instrumentation;
import java.util.ServiceLoader;

/**
 * Entry point of the java agent. It identifies the broker's version and installs the hooks; the plugin starts once the
 * broker has started. Never throws and never stops a JVM. In a JVM that is no broker (a tool with the same
 * {@code KAFKA_OPTS}) it does nothing and logs nothing.
 */
public final class SlipstreamAgent {
    private static final String BROKER_CLASS = "kafka.server.BrokerServer";

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
        if (version == null || JvmRole.isTool(System.getProperty("sun.java.command", ""))) {
            return;
        }
        KafkaLine line = ServiceLoader.load(BrokerVersion.class, SlipstreamAgent.class.getClassLoader()).stream()
                .map(candidate -> new ServerLine(candidate.get()))
                .filter(candidate -> candidate.supports(version))
                .findFirst()
                .orElse(null);
        if (line == null) {
            instrumentation.addTransformer(
                    new UnsupportedBroker(BROKER_CLASS, "Apache Kafka " + version + " is not supported"));
            return;
        }
        ModuleAccess.open(instrumentation);
        HookInstaller installer = new HookInstaller(line.hooks());
        BrokerHooks.listen(new BrokerPlugin(line, installer));
        installer.install(instrumentation, brokerLoader);
    }
}
