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

    /** Of a broker and of Kafka's tools, which have the same class path. */
    static ClassArchive ofBroker(BrokerLine line) {
        return new ClassArchive("kafka-" + line.number());
    }

    static ClassArchive ofProxy() {
        return new ClassArchive("proxy");
    }

    /** Writes both anew, by running a broker and a proxy of it. Not while others start. */
    public static void write(BrokerLine line) {
        ClassArchive ofBroker = ofBroker(line).delete();
        ClassArchive ofProxy = ofProxy().delete();
        try (BrokerProcess broker =
                BrokerProcess.builder(line).jvmArgument(ofBroker.atExit()).start()) {
            // Without its plugin, whose classes no archive takes; the proxy finds none, and serves.
            try (ProxyProcess proxy =
                    ProxyProcess.builder(broker).jvmArgument(ofProxy.atExit()).start()) {
                KafkaProbe.serves("127.0.0.1", proxy.port());
            }
        }
        for (ClassArchive archive : List.of(ofBroker, ofProxy)) {
            if (!Files.isRegularFile(archive.file)) {
                throw new StartFailure("the JVM wrote no " + archive.file);
            }
        }
    }

    /** What tells a JVM to use it, if it is there. */
    List<String> flags() {
        return Files.isRegularFile(file) ? List.of("-XX:SharedArchiveFile=" + file) : List.of();
    }

    private String atExit() {
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
