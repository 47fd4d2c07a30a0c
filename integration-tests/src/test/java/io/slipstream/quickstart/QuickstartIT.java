// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.process.Checkout;
import io.slipstream.process.Deadline;
import io.slipstream.process.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The quickstart as the launcher starts it: the command line's jar in its own process. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class QuickstartIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(150);

    @TempDir
    private Path directory;

    @Test
    void shouldUseRdmaForNearlyEveryRecordAndCleanUp() throws Exception {
        Path json = directory.resolve("out.json");
        Path ready = directory.resolve("ready.json");

        int status = run(
                "--once",
                "--records",
                "20000",
                "--port",
                port(),
                "--json",
                json.toString(),
                "--ready-file",
                ready.toString());

        assertThat(status).as(output()).isZero();
        JsonNode counts = JSON.readTree(json.toFile());
        assertThat(counts.get("produced").asLong()).isEqualTo(20_000);
        assertThat(counts.get("consumed").asLong()).isEqualTo(20_000);
        assertThat(counts.get("mismatches").asLong()).isZero();
        assertThat(counts.get("provider").asText()).isEqualTo("shm");
        for (String direction : List.of("produceRecords", "fetchRecords")) {
            double rdma = counts.get("rdma").get(direction).asDouble();
            double tcp = counts.get("tcp").get(direction).asDouble();
            assertThat(rdma / (rdma + tcp)).as(direction + output()).isGreaterThanOrEqualTo(0.99);
        }
        for (String child : List.of("brokerPid", "proxyPid")) {
            assertThat(ProcessHandle.of(JSON.readTree(ready.toFile()).get(child).asLong()))
                    .as(child)
                    .isEmpty();
        }
    }

    @Test
    void shouldServeAuthorizedClientsByRdmaAndRefuseOthersIfSecured() throws Exception {
        Path json = directory.resolve("out.json");

        int status = run("--secure", "--once", "--records", "20000", "--port", port(), "--json", json.toString());

        assertThat(status).as(output()).isZero();
        JsonNode counts = JSON.readTree(json.toFile());
        assertThat(counts.get("produced").asLong()).isEqualTo(20_000);
        assertThat(counts.get("consumed").asLong()).isEqualTo(20_000);
        assertThat(counts.get("mismatches").asLong()).isZero();
        assertThat(counts.get("provider").asText()).isEqualTo("shm");
        JsonNode security = counts.get("security");
        assertThat(security.get("protocol").asText()).isEqualTo("SASL_SSL");
        assertThat(security.get("rdmaShare").asDouble()).as(output()).isGreaterThanOrEqualTo(0.95);
        assertThat(security.get("recordsWrittenByRefused").asLong()).isZero();
        assertThat(security.get("recordsReadByRefused").asLong()).isZero();
        String notAllowed = "TopicAuthorizationException";
        assertThat(errorsOf(security, "intruder produces")).containsExactly(notAllowed, notAllowed);
        assertThat(errorsOf(security, "intruder consumes")).containsExactly(notAllowed, notAllowed);
        assertThat(errorsOf(security, "dashboard produces")).containsExactly(notAllowed, notAllowed);
        assertThat(errorsOf(security, "sensors consumes")).containsExactly(notAllowed, notAllowed);
        assertThat(errorsOf(security, "sensors with a wrong password"))
                .containsExactly("SaslAuthenticationException", "SaslAuthenticationException");
        assertThat(security.get("withdrawals")).hasSize(2).allSatisfy(withdrawal -> {
            assertThat(withdrawal.get("refusal").asText()).isEqualTo(notAllowed);
            assertThat(withdrawal.get("refusedAfterMs").asLong()).isNotNegative();
            assertThat(withdrawal.get("rdmaShare").asDouble()).isGreaterThanOrEqualTo(0.95);
        });
    }

    /** Returns the errors of stock clients in an attempt, directly at the broker and through the proxy. */
    private static List<String> errorsOf(JsonNode security, String what) {
        for (JsonNode attempt : security.get("attempts")) {
            if (attempt.get("what").asText().equals(what)) {
                return List.of(
                        attempt.get("straight").asText(), attempt.get("proxied").asText());
            }
        }
        throw new AssertionError("no attempt: " + what);
    }

    @Test
    void shouldStopItsProcessesWhenItIsKilled() throws Exception {
        Path ready = directory.resolve("ready.json");
        Process quickstart =
                start("--records", "100", "--port", port(), "--provider", "tcp", "--ready-file", ready.toString());
        boolean serves = Deadline.after(PATIENCE).await(() -> Files.exists(ready));
        assertThat(serves).as(output()).isTrue();
        JsonNode serving = JSON.readTree(ready.toFile());
        assertThat(ProcessHandle.of(serving.get("brokerPid").asLong())).isPresent();

        Path data = Path.of(output().lines()
                .filter(line -> !line.contains("JDK_JAVA_OPTIONS"))
                .findFirst()
                .orElseThrow()
                .split(" ")[2]);
        assertThat(data).isDirectory();

        quickstart.destroyForcibly().waitFor();

        boolean gone = Deadline.after(PATIENCE)
                .await(() -> ProcessHandle.of(serving.get("brokerPid").asLong()).isEmpty()
                        && ProcessHandle.of(serving.get("proxyPid").asLong()).isEmpty());
        assertThat(gone).as("broker and proxy ended").isTrue();
        boolean deleted = Deadline.after(PATIENCE).await(() -> !Files.exists(data));
        assertThat(deleted).as("%s is deleted", data).isTrue();
    }

    @Test
    void shouldNameAPortInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int status = run("--once", "--port", Integer.toString(taken.getLocalPort()));

            assertThat(status).isEqualTo(1);
            assertThat(output()).contains("port " + taken.getLocalPort()).contains("--port");
        }
    }

    @Test
    void shouldSuggestSoftRoceWithoutAnRdmaDevice() throws Exception {
        assumeThat(Path.of("/sys/class/infiniband"))
                .as("this machine has an RDMA device")
                .doesNotExist();

        assertThat(run("--once", "--provider", "verbs")).isEqualTo(2);
        assertThat(output()).contains("no RDMA device").contains("softroce/run");
    }

    @Test
    void shouldRefuseWrongUsage() throws Exception {
        assertThat(run("--twice")).isEqualTo(2);
        assertThat(run("--records", "0")).isEqualTo(2);
        assertThat(run("--provider", "carrier-pigeon")).isEqualTo(2);
        assertThat(output()).contains("--twice").contains("--records").contains("carrier-pigeon");
    }

    private static String port() {
        return Integer.toString(Ports.freeRange(3) + 1);
    }

    private int run(String... arguments) throws IOException, InterruptedException {
        Process quickstart = start(arguments);
        if (!quickstart.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            quickstart.destroyForcibly().waitFor();
        }
        return quickstart.exitValue();
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-Dslipstream.root=" + Checkout.root(),
                "-jar",
                Checkout.root().resolve("cli/target/slipstream-cli.jar").toString(),
                "quickstart"));
        command.addAll(List.of(arguments));
        ProcessBuilder quickstart = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("output").toFile()));
        // For broker and proxy, too, whose lives are too short for C2.
        quickstart.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
        return quickstart.start();
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output"));
    }
}
