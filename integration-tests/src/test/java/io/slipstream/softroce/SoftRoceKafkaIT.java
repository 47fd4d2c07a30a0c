package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.Checkout;
import io.slipstream.harness.ClassArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stock broker, the proxy and stock clients over {@code verbs}, and what may happen to them. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class SoftRoceKafkaIT {
    @BeforeAll
    static void writeClassArchives() {
        ClassArchive.write(BrokerLine.NEWEST);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource
    void shouldLoseNothingOverVerbs(GuestKernel kernel) throws IOException {
        SoftRoceMachine machine =
                SoftRoceMachine.of(kernel).withDeadline(Duration.ofMinutes(10)).withMemoryMib(4096);

        GuestReport report = GuestTests.of("kafka", "integration-tests", "io\\.slipstream\\.it\\.fault\\..*InMachine")
                .runIn(machine);

        assertThat(report.skipped()).isEmpty();
    }

    @Test
    void shouldMoveNearlyEveryRecordOfTheQuickstartOverVerbs() throws IOException {
        Path directory = Checkout.root().resolve("integration-tests/target/softroce-quickstart");
        Path json = directory.resolve("out.json");
        Files.deleteIfExists(json);

        GuestRun run = SoftRoceMachine.of(GuestKernel.DEBIAN_6_12)
                .withDeadline(Duration.ofMinutes(6))
                .withMemoryMib(4096)
                .run(
                        List.of(
                                Checkout.root().resolve("slipstream").toString(),
                                "quickstart",
                                "--once",
                                "--records",
                                "10000",
                                "--provider",
                                "verbs",
                                "--json",
                                json.toString()),
                        Checkout.root(),
                        directory.resolve("output.txt"));

        run.succeeded();
        JsonNode counts = new ObjectMapper().readTree(json.toFile());
        assertThat(counts.get("provider").asText()).isEqualTo("verbs");
        assertThat(counts.get("consumed").asLong()).isEqualTo(10_000);
        for (String direction : List.of("produceRecords", "fetchRecords")) {
            double rdma = counts.get("rdma").get(direction).asDouble();
            double tcp = counts.get("tcp").get(direction).asDouble();
            assertThat(rdma / (rdma + tcp)).as("%s, %s", direction, run).isGreaterThanOrEqualTo(0.99);
        }
    }
}
