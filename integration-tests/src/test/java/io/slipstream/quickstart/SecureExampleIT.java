// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.Checkout;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Follows the README of {@code deploy/example/secure}, on other ports. */
@Tag("thorough")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class SecureExampleIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Path EXAMPLE = Checkout.root().resolve("deploy/example/secure");
    private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CREDENTIAL = Pattern.compile("--add-scram '(.*)'");

    @TempDir
    private Path directory;

    private final int brokerPort = Ports.freeRange(2);
    private final int proxyPort = Ports.freeRange(3) + 1;
    private final List<ChildProcess> started = new ArrayList<>();
    private String readme;

    @BeforeEach
    void copy() throws IOException {
        for (String name : List.of("server.properties", "proxy.properties", "client.properties")) {
            Files.writeString(directory.resolve(name), adapt(Files.readString(EXAMPLE.resolve(name))));
        }
        readme = adapt(Files.readString(EXAMPLE.resolve("README.md")));
    }

    @AfterEach
    void stop() {
        started.forEach(ChildProcess::kill9);
    }

    @Test
    void shouldServeItsUsersByRdma() throws Exception {
        List<String> blocks = all(BLOCK);
        assertThat(blocks).hasSize(3);
        bash(blocks.get(0));
        start("broker", broker());
        start(
                "proxy",
                List.of(ChildProcess.java(), "-jar", Checkout.proxyJar().toString(), "--config", "proxy.properties"));
        assertThat(Deadline.after(PATIENCE).await(() -> page("/readyz") != null))
                .as("the proxy is ready")
                .isTrue();
        assertThat(Deadline.after(PATIENCE).await(() -> Files.isDirectory(directory.resolve("s"))))
                .as("the plugin serves")
                .isTrue();

        bash(blocks.get(1));
        String read = bash(blocks.get(2));

        assertThat(read.lines()).contains("1", "500", "1000");
        PathCounts paths = PathCounts.in(MetricSamples.parse(page("/metrics")));
        assertThat(paths.rdmaProduced()).as("%s", paths).isGreaterThanOrEqualTo(950);
        assertThat(paths.rdmaFetched()).as("%s", paths).isGreaterThanOrEqualTo(950);
    }

    /** First formats its storage with the users of the README. */
    private List<String> broker() throws Exception {
        List<String> format = new ArrayList<>(List.of(
                ChildProcess.java(), "-cp", BrokerLine.NEWEST.classPath(), "kafka.tools.StorageTool", "format"));
        format.addAll(List.of("--cluster-id", Uuid.randomUuid().toString(), "--config", "server.properties"));
        List<String> credentials = all(CREDENTIAL);
        assertThat(credentials).hasSize(3);
        for (String credential : credentials) {
            format.addAll(List.of("--add-scram", credential));
        }
        ChildProcess tool = start("format", format);
        assertThat(tool.awaitExit(PATIENCE)).as(tool.logTail()).isZero();
        return List.of(
                ChildProcess.java(),
                "-Xmx512m",
                "-javaagent:" + Checkout.agentJar(),
                "-cp",
                BrokerLine.NEWEST.classPath(),
                "kafka.Kafka",
                "server.properties");
    }

    /** Runs commands with the tools of a Kafka distribution and returns their output. */
    private String bash(String commands) throws Exception {
        String tools = tool("kafka-acls.sh", "org.apache.kafka.tools.AclCommand")
                + tool("kafka-topics.sh", "org.apache.kafka.tools.TopicCommand")
                + tool("kafka-console-producer.sh", "org.apache.kafka.tools.ConsoleProducer")
                + tool("kafka-console-consumer.sh", "org.apache.kafka.tools.consumer.ConsoleConsumer");
        Path jdk = Path.of(ChildProcess.java()).getParent();
        // Maven Central has the tools of this line only.
        String environment = "set -e; PATH=" + jdk + ":$PATH; CLASSPATH='" + BrokerLine.KAFKA_4_3.classPath() + "'\n";
        ChildProcess shell = start("bash", List.of("bash", "-c", environment + tools + commands));
        assertThat(shell.awaitExit(PATIENCE)).as(shell.logTail()).isZero();
        return Files.readString(shell.log());
    }

    private static String tool(String name, String main) {
        return name + "() { java -XX:TieredStopAtLevel=1 -cp \"$CLASSPATH\" " + main + " \"$@\"; }\n";
    }

    private ChildProcess start(String name, List<String> command) {
        ChildProcess process =
                ChildProcess.start(name, command, directory, directory.resolve(name + "-" + started.size() + ".log"));
        started.add(process);
        return process;
    }

    /** Returns null while the page is unavailable. */
    private String page(String path) {
        try (InputStream body =
                URI.create("http://127.0.0.1:" + (proxyPort - 1) + path).toURL().openStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException notYet) {
            return null;
        }
    }

    private List<String> all(Pattern pattern) {
        Matcher matcher = pattern.matcher(readme);
        List<String> found = new ArrayList<>();
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    private String adapt(String text) {
        return text.replace("9192", Integer.toString(brokerPort))
                .replace("9193", Integer.toString(brokerPort + 1))
                .replace("9092", Integer.toString(proxyPort))
                .replace("9091", Integer.toString(proxyPort - 1))
                .replace("/tmp/slipstream", directory.resolve("s").toString());
    }
}
