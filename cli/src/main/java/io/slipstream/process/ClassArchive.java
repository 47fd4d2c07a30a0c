// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The classes of one child's class path, parsed once and mapped from then on (JEP 350): its JVM starts with half the work. Where there is
 * none, or jars have changed since, a JVM starts without. Of {@link JvmProfile#FAST_START} only, since it holds for one collector.
 */
public final class ClassArchive {
    private final Path file;
    /** Until it is whole. */
    private final Path draft;

    private ClassArchive(String name) {
        Path directory = Checkout.root().resolve("integration-tests/target/class-archives");
        file = directory.resolve(name + ".jsa");
        draft = directory.resolve(name + ".draft");
    }

    /**
     * Of a broker with the plugin. Only classes of the class path that a JVM was given are archived, not those of a jar that an agent
     * appends to it: the agent's has to be on it. Woven classes are no risk, they are offered to the agent as they are in their jar.
     */
    static ClassArchive ofBrokerWithAgent(BrokerLine line) {
        return new ClassArchive("kafka-" + line.number());
    }

    /** Of a broker without it. */
    static ClassArchive ofStockBroker(BrokerLine line) {
        return new ClassArchive("stock-kafka-" + line.number());
    }

    static ClassArchive ofProxy() {
        return new ClassArchive("proxy");
    }

    /** Writes that of brokers with the plugin and that of proxies anew, by running one of each. Others may start meanwhile. */
    public static void write(BrokerLine line) {
        ClassArchive ofBroker = ofBrokerWithAgent(line).prepare();
        ClassArchive ofProxy = ofProxy().prepare();
        try (BrokerProcess broker =
                BrokerProcess.builder(line).withAgent().writingClassArchive().start()) {
            try (ProxyProcess proxy =
                    ProxyProcess.builder(broker).jvmArgument(ofProxy.atExit()).start()) {
                KafkaProbe.serves("127.0.0.1", proxy.port());
            }
        }
        ofBroker.publish();
        ofProxy.publish();
    }

    /** Writes that of brokers without the plugin, by running one. */
    public static void writeOfStockBroker(BrokerLine line) {
        ClassArchive archive = ofStockBroker(line).prepare();
        BrokerProcess.builder(line).writingClassArchive().start().close();
        archive.publish();
    }

    /** Writes both if one is missing or older than what it was made of; see {@link #write}. */
    public static void ensure(BrokerLine line) {
        List<ClassArchive> archives = List.of(ofBrokerWithAgent(line), ofProxy());
        if (!archives.get(0).isNewerThan(Checkout.agentJar())
                || !archives.get(1).isNewerThan(Checkout.proxyJar())) {
            write(line);
        }
    }

    private boolean isNewerThan(Path jar) {
        return file.toFile().lastModified() > jar.toFile().lastModified();
    }

    boolean exists() {
        return Files.isRegularFile(file);
    }

    /** What tells a JVM to use it, if it is there. */
    List<String> flags() {
        return exists() ? List.of("-XX:SharedArchiveFile=" + file) : List.of();
    }

    String atExit() {
        return "-XX:ArchiveClassesAtExit=" + draft;
    }

    private ClassArchive prepare() {
        try {
            Files.createDirectories(file.getParent());
            Files.deleteIfExists(draft);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare " + file, e);
        }
    }

    private void publish() {
        if (!Files.isRegularFile(draft)) {
            throw new StartFailure("the JVM wrote no " + draft);
        }
        try {
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
