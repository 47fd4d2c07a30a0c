// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.secured.SaslLogin;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.process.Checkout;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;

/**
 * A proxy is killed and started again under connected clients of five kinds, which log in by SASL. Each of them goes on
 * by itself. The Java client of 3.9 never asks the bootstrap servers again once it was told the brokers, so it depends
 * on {@code brokers.file}.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RestartedProxyIT {
    private static final String USER = SecureBroker.ALICE;
    private static final Duration PATIENCE = Patience.ofSeconds(60);

    @Test
    void shouldServeConnectedClientsAgain() throws Exception {
        Map<String, List<String>> commands = commands();
        try (SecureBroker broker = SecureBroker.start();
                TempDirectory files = TempDirectory.create("ss-r");
                ProxyProcess proxy = ProxyProcess.builder(broker.bootstrapServers(SecureListener.SASL))
                        .property(
                                ProxyProcess.SLIPSTREAM_DIRECTORY,
                                broker.process().slipstreamDirectory().toString())
                        .property("security.protocol", "SASL_PLAINTEXT")
                        .property(
                                "brokers.file", files.path().resolve("brokers").toString())
                        .start()) {
            List<Line> lines = new ArrayList<>();
            try {
                for (Map.Entry<String, List<String>> each : commands.entrySet()) {
                    createTopic(broker, each.getKey());
                    lines.add(new Line(each.getKey(), each.getValue(), proxy.bootstrapServers(), files.path()));
                }
                lines.forEach(line -> line.send("before"));
                awaitRecords(broker, lines, 1);
                await().atMost(PATIENCE).until(() -> Files.exists(files.path().resolve("brokers")));

                proxy.kill9();
                proxy.restart();

                lines.forEach(line -> line.send("after"));
                awaitRecords(broker, lines, 2);
            } finally {
                lines.forEach(Line::close);
            }
        }
    }

    /** By topic; {@code BOOTSTRAP} and {@code TOPIC} stand for both. */
    private static Map<String, List<String>> commands() throws Exception {
        LanguageClient python = LanguageClients.python();
        LanguageClient node = LanguageClients.node();
        LanguageClient go = LanguageClients.go();
        Map<String, List<String>> commands = new LinkedHashMap<>();
        commands.put("java-3.9", java(pastClient()));
        commands.put("java-4.4", java(jarOf(KafkaProducer.class)));
        commands.put(
                "librdkafka",
                List.of(
                        LanguageClients.pythonOf(python).toString(),
                        python.directory().resolve("client.py").toString(),
                        "BOOTSTRAP",
                        "TOPIC",
                        "lines"));
        commands.put(
                "kafkajs",
                List.of("node", node.directory().resolve("client.js").toString(), "BOOTSTRAP", "TOPIC", "lines"));
        commands.put("franz-go", List.of(go.directory().resolve("client").toString(), "BOOTSTRAP", "TOPIC", "lines"));
        return commands;
    }

    private static List<String> java(Path client) throws Exception {
        LanguageClient program = new LanguageClient("java");
        program.place("Lines.java");
        return List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                client + ":" + jarOf(Logger.class),
                program.directory().resolve("Lines.java").toString(),
                "BOOTSTRAP",
                "TOPIC");
    }

    /** The build copies it. */
    private static Path pastClient() throws IOException {
        try (var jars = Files.newDirectoryStream(
                Checkout.root().resolve("integration-tests/target/past-clients"), "kafka-clients-3.*.jar")) {
            return jars.iterator().next();
        }
    }

    private static Path jarOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static void createTopic(SecureBroker broker, String topic) throws Exception {
        broker.admin()
                .createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                .all()
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        broker.allow(USER, topic, AclOperation.DESCRIBE, AclOperation.WRITE);
    }

    private static void awaitRecords(SecureBroker broker, List<Line> lines, long count) {
        Map<TopicPartition, OffsetSpec> ends = lines.stream()
                .collect(Collectors.toMap(line -> new TopicPartition(line.topic, 0), line -> OffsetSpec.latest()));
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> broker.admin()
                        .listOffsets(ends)
                        .all()
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .forEach((partition, end) -> assertThat(end.offset())
                                .as("%s: %s", partition, lines)
                                .isEqualTo(count)));
    }

    /** A running program that sends its standard input line by line. */
    private static final class Line {
        private final String topic;
        private final Path output;
        private final Process process;

        Line(String topic, List<String> command, String bootstrap, Path directory) throws IOException {
            this.topic = topic;
            output = directory.resolve(topic + ".out");
            List<String> words = command.stream()
                    .map(word -> word.equals("BOOTSTRAP") ? bootstrap : word.equals("TOPIC") ? topic : word)
                    .toList();
            ProcessBuilder builder = new ProcessBuilder(words)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().put("SASL_USERNAME", USER);
            builder.environment().put("SASL_PASSWORD", SaslLogin.passwordOf(USER));
            process = builder.start();
        }

        void send(String line) {
            try {
                process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().flush();
            } catch (IOException e) {
                throw new UncheckedIOException(this + " has ended", e);
            }
        }

        void close() {
            process.destroyForcibly();
        }

        @Override
        public String toString() {
            try {
                String said = Files.readString(output, StandardCharsets.UTF_8);
                return topic + ": " + said.substring(Math.max(0, said.length() - 500));
            } catch (IOException e) {
                return topic + ": " + e;
            }
        }
    }
}
