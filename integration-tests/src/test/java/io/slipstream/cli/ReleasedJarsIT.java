// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Checkout;
import io.slipstream.process.Ports;
import io.slipstream.process.ProxyProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The three jars in one directory, without the checkout of their build. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ReleasedJarsIT {
    private static final int PATIENCE_S = 180;

    @TempDir
    private Path directory;

    @BeforeEach
    void copyJars() throws IOException {
        Path cli = Checkout.root().resolve("cli/target/slipstream-cli.jar");
        for (Path jar : List.of(cli, Checkout.proxyJar(), Checkout.agentJar())) {
            Files.copy(jar, directory.resolve(jar.getFileName()));
        }
    }

    @Test
    void shouldStartAnUnpackedKafkaDistribution() throws Exception {
        Path libs = Files.createDirectories(directory.resolve("kafka/libs"));
        for (String jar : BrokerLine.KAFKA_4_3.classPath().split(File.pathSeparator)) {
            Files.createSymbolicLink(libs.resolve(Path.of(jar).getFileName()), Path.of(jar));
        }
        String port = Integer.toString(Ports.freeRange(3) + 1);

        String output = run(0, "quickstart", "--once", "--records", "2000", "--port", port, "--kafka", "kafka");

        assertThat(output).contains("stock Apache Kafka 4.3 with the agent");
    }

    @Test
    void shouldNameAMissingJar() throws Exception {
        assertThat(run(1, "quickstart", "--once")).contains("--kafka DIR").contains("KAFKA_HOME");

        Files.delete(directory.resolve("slipstream-broker-plugin.jar"));
        Files.createFile(
                Files.createDirectories(directory.resolve("kafka/libs")).resolve("kafka_2.13-4.4.0.jar"));

        assertThat(run(1, "quickstart", "--once", "--kafka", "kafka"))
                .contains("slipstream-broker-plugin.jar is missing")
                .contains(directory.toString());
    }

    @Test
    void shouldRunDoctorAndTop() throws Exception {
        assertThat(run(0, "doctor")).contains(" FAIL\n").contains("native epoll");
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST).start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start()) {
            assertThat(run(0, "top", "--once", "--interval", "0.5", "--url", proxy.managementUrl()))
                    .contains(proxy.bootstrapServers());
        }
    }

    /** Returns the output of the process on both streams. */
    private String run(int status, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m"));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", "slipstream-cli.jar"));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(directory, "output", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().remove("KAFKA_HOME");
        Process process = builder.start();
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        String said = Files.readString(output);
        assertThat(process.exitValue()).as(said).isEqualTo(status);
        return said;
    }
}
