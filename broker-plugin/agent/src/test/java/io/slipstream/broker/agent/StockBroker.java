// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;

/** A stock broker process (KRaft, one node) with the agent jar, in its own directory. */
final class StockBroker implements AutoCloseable {
    static final int NODE_ID = 1;

    private final String line;
    private final Path directory;
    private final String clusterId = Uuid.randomUuid().toString();
    private final int port;
    private Process process;

    /** Factor of the timeouts for an emulated machine. */
    static final int PATIENCE = Integer.parseInt(System.getenv().getOrDefault("SLIPSTREAM_PATIENCE", "1"));

    /** Starts the broker and waits until it serves. */
    StockBroker(String line, Map<String, String> properties, List<String> jvmArguments) throws IOException {
        this.line = line;
        this.directory = Files.createTempDirectory("slb");
        int[] ports = freePorts();
        this.port = ports[0];
        Map<String, String> settings = new TreeMap<>(Map.of(
                "process.roles",
                "broker,controller",
                "node.id",
                Integer.toString(NODE_ID),
                "controller.quorum.voters",
                NODE_ID + "@127.0.0.1:" + ports[1],
                "listeners",
                "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + ports[1],
                "controller.listener.names",
                "CONTROLLER",
                "log.dirs",
                directory.resolve("logs").toString(),
                "offsets.topic.replication.factor",
                "1",
                "group.initial.rebalance.delay.ms",
                "0",
                "slipstream.directory",
                slipstreamDirectory().toString()));
        settings.put("slipstream.provider", System.getProperty("slipstream.test.provider", "shm"));
        // No port: the proxies of these tests are local, and tests that run in parallel would need the same port.
        settings.put("slipstream.control.address", "");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.putAll(properties);
        StringBuilder text = new StringBuilder();
        settings.forEach(
                (key, value) -> text.append(key).append('=').append(value).append('\n'));
        Files.writeString(directory.resolve("server.properties"), text);
        Files.writeString(
                directory.resolve("log4j2.xml"),
                "<Configuration><Appenders><Console name='c'><PatternLayout pattern='%p %c{1} %m%n'/></Console></Appenders>"
                        + "<Loggers><Logger name='org.apache.kafka.common.config' level='warn'/>"
                        + "<Logger name='kafka.server.KafkaConfig' level='warn'/><Root level='info'><AppenderRef ref='c'/></Root></Loggers></Configuration>");
        run(List.of("-Xmx256m"), "kafka.tools.StorageTool", "format", "-t", clusterId, "-c", "server.properties")
                .onExit()
                .orTimeout(60L * PATIENCE, TimeUnit.SECONDS)
                .join();
        List<String> jvm = new ArrayList<>(List.of(
                "-Xmx512m",
                "-javaagent:" + System.getProperty("slipstream.agent.jar"),
                "-Dlog4j2.configurationFile=log4j2.xml"));
        jvm.addAll(jvmArguments);
        process = run(jvm, "kafka.Kafka", "server.properties");
        try {
            awaitServing();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void awaitServing() {
        await("broker serves")
                .atMost(Duration.ofSeconds(60L * PATIENCE))
                .until(() -> !process.isAlive() || log().contains("Kafka Server started"));
        if (!process.isAlive()) {
            throw new IllegalStateException("the broker died:\n" + log());
        }
    }

    static int[] freePorts() throws IOException {
        try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket second = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new int[] {first.getLocalPort(), second.getLocalPort()};
        }
    }

    private Process run(List<String> jvmArguments, String... mainAndArguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(jvmArguments);
        command.add("-cp");
        command.add(Files.readString(
                Path.of(System.getProperty("slipstream.brokers"), "kafka-" + line, "target", "broker.classpath")));
        command.addAll(List.of(mainAndArguments));
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("out.log").toFile()))
                .start();
    }

    Path slipstreamDirectory() {
        return directory.resolve("s");
    }

    Path controlSocket() {
        return slipstreamDirectory().resolve(clusterId + "." + NODE_ID + ".sock");
    }

    /** Returns the segment files of a partition, oldest first. */
    List<Path> segments(String topic, int partition) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("logs").resolve(topic + "-" + partition))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    int port() {
        return port;
    }

    String bootstrap() {
        return "127.0.0.1:" + port;
    }

    String log() {
        try {
            return Files.readString(directory.resolve("out.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the plugin's log lines that say that it is inert. */
    List<String> inertLines() {
        return log().lines()
                .filter(text -> text.contains("Slipstream is inert"))
                .toList();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGTERM and waits for the end of the process. */
    void stop() {
        process.destroy();
        process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        }
    }
}
