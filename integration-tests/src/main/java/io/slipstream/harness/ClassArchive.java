package io.slipstream.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The classes of one child's class path, parsed once and mapped from then on (JEP 350): its JVM starts with half the work. Where there is
 * none, or jars have changed since, a JVM starts without. Of {@link JvmProfile#FAST_START} only, since it holds for one collector.
 */
public final class ClassArchive {
    private static final Path DIRECTORY = Checkout.root().resolve("integration-tests/target/class-archives");

    private final Path file;

    private ClassArchive(String name) {
        file = DIRECTORY.resolve(name + ".jsa");
    }

    /**
     * Of a broker with the plugin. Only classes of the class path that a JVM was given are archived, not those of a jar that an agent
     * appends to it: the agent's has to be on it. Woven classes are no risk, they are offered to the agent as they are in their jar.
     */
    static ClassArchive ofBrokerWithAgent(BrokerLine line) {
        return new ClassArchive("kafka-" + line.number());
    }

    static ClassArchive ofProxy() {
        return new ClassArchive("proxy");
    }

    /** Writes both anew, by running a broker and a proxy of it. Not while others start. */
    public static void write(BrokerLine line) {
        ClassArchive ofBroker = ofBrokerWithAgent(line).delete();
        ClassArchive ofProxy = ofProxy().delete();
        try (BrokerProcess broker =
                BrokerProcess.builder(line).withAgent().writingClassArchive().start()) {
            try (ProxyProcess proxy =
                    ProxyProcess.builder(broker).jvmArgument(ofProxy.atExit()).start()) {
                KafkaProbe.serves("127.0.0.1", proxy.port());
            }
        }
        for (ClassArchive archive : List.of(ofBroker, ofProxy)) {
            if (!archive.exists()) {
                throw new StartFailure("the JVM wrote no " + archive.file);
            }
        }
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
        return "-XX:ArchiveClassesAtExit=" + file;
    }

    private ClassArchive delete() {
        try {
            Files.createDirectories(DIRECTORY);
            Files.deleteIfExists(file);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare " + file, e);
        }
    }
}
