// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A class-data-sharing archive (JEP 350) of one child's class path, which halves the start-up work of its JVM. A JVM
 * starts without the archive if it is missing or older than its jars. The archive is specific to one collector and
 * therefore to {@link JvmProfile#FAST_START}.
 */
public final class ClassArchive {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path file;
    /** The unfinished file; it is renamed when complete. */
    private final Path draft;

    private ClassArchive(String name) {
        Path directory = Checkout.root().resolve("integration-tests/target/class-archives");
        file = directory.resolve(name + ".jsa");
        draft = directory.resolve(name + ".draft");
    }

    /**
     * Returns the archive of a broker with the plugin. The JVM archives only classes of its initial class path, so the
     * agent jar must be on it. The JVM passes archived classes to the agent in their original form, so weaving is
     * unaffected.
     */
    static ClassArchive ofBrokerWithAgent(BrokerLine line) {
        return new ClassArchive("kafka-" + line.number());
    }

    /** Returns the archive of a broker without the plugin. */
    static ClassArchive ofStockBroker(BrokerLine line) {
        return new ClassArchive("stock-kafka-" + line.number());
    }

    static ClassArchive ofProxy() {
        return new ClassArchive("proxy");
    }

    /**
     * Recreates the archives of brokers with the plugin and of proxies by running one process of each. Other processes
     * may start meanwhile.
     */
    public static void write(BrokerLine line) {
        ClassArchive ofBroker = ofBrokerWithAgent(line).prepare();
        ClassArchive ofProxy = ofProxy().prepare();
        try (BrokerProcess broker =
                BrokerProcess.builder(line).withAgent().writingClassArchive().start()) {
            try (ProxyProcess proxy =
                    ProxyProcess.builder(broker).jvmArgument(ofProxy.atExit()).start()) {
                serve(proxy);
            }
        }
        ofBroker.publish();
        ofProxy.publish();
    }

    /** Has both load the classes of a usual session. */
    private static void serve(ProxyProcess proxy) {
        String topic = "archived";
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                proxy.bootstrapServers(),
                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                topic,
                ConsumerConfig.GROUP_ID_CONFIG,
                topic,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest");
        try (KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            proxy.awaitLink(PATIENCE);
            producer.initTransactions();
            consumer.subscribe(List.of(topic));
            boolean byRdma = Deadline.after(PATIENCE).await(() -> {
                producer.beginTransaction();
                producer.send(new ProducerRecord<>(topic, new byte[100]));
                producer.commitTransaction();
                consumer.poll(Duration.ofMillis(100));
                consumer.commitSync();
                return proxy.metrics().count("slipstream_requests_total", "api", "FETCH", "path", "rdma") > 0;
            });
            if (!byRdma) {
                throw new StartFailure("no Fetch by RDMA for class archives" + proxy.logTail());
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new StartFailure("no session for class archives: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Recreates the archive of brokers without the plugin by running one. */
    public static void writeOfStockBroker(BrokerLine line) {
        ClassArchive archive = ofStockBroker(line).prepare();
        BrokerProcess.builder(line).writingClassArchive().start().close();
        archive.publish();
    }

    /** Recreates both archives if one is missing or older than its inputs; see {@link #write}. */
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

    /** Returns the JVM flags that use the archive; empty if there is none. */
    List<String> flags() {
        return exists() ? List.of("-XX:SharedArchiveFile=" + file) : List.of();
    }

    String atExit() {
        return "-XX:ArchiveClassesAtExit=" + draft;
    }

    /** Deletes the old archive, too: a JVM that starts from an outdated archive refuses to write another. */
    private ClassArchive prepare() {
        try {
            Files.createDirectories(file.getParent());
            Files.deleteIfExists(file);
            Files.deleteIfExists(draft);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare " + file, e);
        }
    }

    private void publish() {
        if (!Files.isRegularFile(draft)) {
            throw new StartFailure("the JVM did not write " + draft);
        }
        try {
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
