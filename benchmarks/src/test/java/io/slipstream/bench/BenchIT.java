// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One workload of each kind at a real broker, directly and by RDMA: each is measured, takes its path and is reported.
 * Never checks speed.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class BenchIT {
    private static final String WORKLOADS =
            "FETCH,EMPTY_FETCH_PIPELINED,END_TO_END,PRODUCE_BATCHED_1KIB,PRODUCE_PARTITIONS_4,FETCH_SIZE_1KIB,SCAN,FETCH_PARTITIONS_4";

    @TempDir
    private Path directory;

    @Test
    void shouldMeasureEachKindOfWorkload() throws Exception {
        BenchMain.commandLine()
                .execute(
                        "--workloads", WORKLOADS,
                        "--ways", "direct,proxy_rdma",
                        "--rounds", "1",
                        "--measure-ms", "60",
                        "--warmup-ms", "100",
                        "--scan-mib", "16",
                        "--profile", directory.resolve("profiles").toString(),
                        "--profile-ms", "60",
                        "--report", directory.toString());

        JsonNode root =
                new ObjectMapper().readTree(directory.resolve("results.json").toFile());
        Map<String, JsonNode> figures = new HashMap<>();
        for (JsonNode result : root.get("results")) {
            figures.put(
                    result.get("workload").asText() + ' ' + result.get("way").asText(), result.get("figures"));
        }
        for (String workload : WORKLOADS.split(",")) {
            assertThat(value(figures, workload + " DIRECT", "medianUs"))
                    .as(workload)
                    .isPositive();
            JsonNode rdma = figures.get(workload + " PROXY_RDMA");
            assertThat(value(figures, workload + " PROXY_RDMA", "ratio"))
                    .as(workload)
                    .isPositive();
            // On a slow machine the first requests of a connection may go by TCP.
            assertThat(rdma.at("/rdmaShare/value").asDouble()).as(workload).isBetween(0.5, 1.2);
        }
        assertThat(figures).hasSize(2 * WORKLOADS.split(",").length);
        assertThat(value(figures, "PRODUCE_BATCHED_1KIB DIRECT", "megabytesPerSecond"))
                .isPositive();
        assertThat(root.get("targets").findValuesAsText("status"))
                .contains("not measured")
                .contains("undecided")
                .doesNotContain("met", "missed");
        assertThat(Files.readString(directory.resolve("report.md"))).contains("end to end 100 B");
        assertThat(directory.resolve("profiles/end-to-end-end_to_end-proxy_rdma-proxy.html"))
                .isNotEmptyFile();
        assertThat(Files.readString(directory.resolve("profiles/summary.md")))
                .contains("end to end 100 B, direct, broker", "event loop");
    }

    private static double value(Map<String, JsonNode> figures, String result, String figure) {
        return figures.get(result).at('/' + figure + "/value").asDouble();
    }
}
