// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import io.slipstream.broker.hook.BrokerHooks;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.kafka.server.BrokerVersion;
import io.slipstream.broker.kafka.server.ServerLine;
import io.slipstream.broker.server.BrokerPlugin;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.Set;
import org.slf4j.LoggerFactory;

/**
 * Entry point of the java agent. It identifies the broker's version and installs the hooks; the plugin starts once the
 * broker has started. Never throws and never stops a JVM. In a JVM that is no broker (a tool with the same
 * {@code KAFKA_OPTS}) it does nothing and logs nothing.
 */
public final class SlipstreamAgent {
    /** Overrides the broker's version, for tests of an unsupported one. */
    private static final String VERSION_PROPERTY = "slipstream.test.kafka.version";

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
        String version = versionOn(brokerLoader);
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
        openModules(instrumentation);
        HookInstaller installer = new HookInstaller(line.hooks());
        BrokerHooks.listen(new BrokerPlugin(line, installer));
        installer.install(instrumentation, brokerLoader);
    }

    /** Kafka's version as its own {@code AppInfoParser} reports it, without loading a class; null if there is none. */
    private static String versionOn(ClassLoader classPath) {
        try (InputStream resource = classPath.getResourceAsStream("kafka/kafka-version.properties")) {
            if (resource == null) {
                return null;
            }
            Properties properties = new Properties();
            properties.load(resource);
            return System.getProperty(VERSION_PROPERTY, properties.getProperty("version", "unknown"))
                    .trim();
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Opens packages of the JDK to the plugin's classes: {@code java.io} for file descriptors and {@code
     * jdk.internal.misc} for memory access. Shared memory needs both. Otherwise the broker's command line would need
     * {@code --add-opens}.
     */
    private static void openModules(Instrumentation instrumentation) {
        Module base = Object.class.getModule();
        Set<Module> plugin = Set.of(SlipstreamAgent.class.getModule());
        for (String name : List.of("java.io", "jdk.internal.misc")) {
            instrumentation.redefineModule(
                    base, Set.of(), Map.of(name, plugin), Map.of(name, plugin), Set.of(), Map.of());
        }
    }

    /** Changes no class. If this JVM turns out to be a broker, it logs once why the plugin is inert. */
    private record UnsupportedBroker(String reason) implements ClassFileTransformer {
        @Override
        public byte[] transform(
                ClassLoader loader, String className, Class<?> loaded, ProtectionDomain domain, byte[] classFile) {
            if ("kafka/server/BrokerServer".equals(className)) {
                LoggerFactory.getLogger(SlipstreamAgent.class)
                        .error("Slipstream is inert, this broker serves without it: {}", reason);
            }
            return null;
        }
    }
}
