// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.bench.BenchMain;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Two processes on shared memory: every operation completes with the correct effect, which the endpoints check. Never
 * checks speed.
 */
class TransportBenchTest {
    @TempDir
    private Path directory;

    @Test
    void shouldMeasureEveryExperimentOnSharedMemory() throws Exception {
        Path json = directory.resolve("out.json");

        int status = new CommandLine(new BenchMain())
                .execute(
                        "transport",
                        "--provider",
                        "shm",
                        "--rounds",
                        "2",
                        "--iterations",
                        "200",
                        "--json",
                        json.toString());

        assertThat(status).isZero();
        JsonNode results = new ObjectMapper().readTree(json.toFile()).get("results");
        assertThat(results).hasSize(Experiment.values().length);
        for (JsonNode result : results) {
            assertThat(result.at("/figures/medianUs/value").asDouble())
                    .as(result.toString())
                    .isPositive();
            assertThat(result.get("way").asText()).isEqualTo("OURS");
        }
    }
}
