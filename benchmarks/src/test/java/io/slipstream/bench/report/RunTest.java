// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunTest {
    private static final Run RUN = Samples.run(
            List.of(new Plot(
                    "latency",
                    "Latency",
                    Plot.Axis.linear("bytes"),
                    Plot.Axis.linear("us"),
                    List.of(new Plot.Line("direct", List.of(1.0, 2.0), List.of(3.0, 4.0))))),
            Samples.sized("FETCH", Side.DIRECT, 100, Map.of(Metric.MEDIAN, Figure.of(80))),
            Samples.sized(
                    "FETCH",
                    Side.RDMA,
                    100,
                    Map.of(Metric.RATIO, new Figure(0.2, 0.15, 0.21), Metric.RDMA_SHARE, Figure.of(1))));

    @TempDir
    private Path directory;

    @Test
    void shouldWriteJsonOfAVersionedSchema() throws Exception {
        Path file = directory.resolve("deeper/out.json");

        new JsonFile().write(RUN, file);

        JsonNode root = new ObjectMapper().readTree(file.toFile());
        assertThat(root.get("schema").asText()).isEqualTo("slipstream-bench/1");
        assertThat(root.get("commit").asText()).isEqualTo("0123456789abcdef0123456789abcdef01234567");
        assertThat(root.get("changed").asBoolean()).isFalse();
        assertThat(root.at("/verdicts/met").asInt()).isEqualTo(1);
        assertThat(root.at("/verdicts/undecided").asInt()).isZero();
        assertThat(root.at("/machine/kernel").asText()).isEqualTo("Linux 6");
        assertThat(root.at("/settings/seeds").asText()).isEqualTo("1");
        assertThat(root.get("results")).hasSize(2);
        JsonNode rdma = root.get("results").get(1);
        assertThat(rdma.get("workload").asText()).isEqualTo("FETCH");
        assertThat(rdma.get("way").asText()).isEqualTo("PROXY_RDMA");
        assertThat(rdma.at("/parameters/recordBytes").asInt()).isEqualTo(100);
        assertThat(rdma.at("/figures/ratio").toString()).isEqualTo("{\"value\":0.2,\"lowest\":0.15,\"highest\":0.21}");
        assertThat(rdma.at("/figures/rdmaShare").toString()).isEqualTo("{\"value\":1.0}");
        assertThat(root.at("/plots/0/lines/0/y").toString()).isEqualTo("[3.0,4.0]");
        assertThat(root.get("targets")).hasSize(Targets.TABLE.size());
        assertThat(root.get("targets").findValuesAsText("status"))
                .containsOnlyOnce("met")
                .contains("not measured");
    }

    @Test
    void shouldShowAHeadlineForEachWorkload() {
        assertThat(Headline.of(RUN).rows())
                .containsExactly(List.of("label | of FETCH", "80.0", "", "0.200 (0.150 to 0.210)", "", "", ""));
    }

    @Test
    void shouldWriteAReportWithItsImages() throws Exception {
        Path report = directory.resolve("report");

        new ReportDirectory(report).write(RUN);

        assertThat(report.resolve("latency.png")).isNotEmptyFile();
        assertThat(report.resolve("results.json")).isNotEmptyFile();
        assertThat(Files.readString(report.resolve("report.md")))
                .contains("\nCommit: 0123456789abcdef0123456789abcdef01234567\n")
                .contains("\ntargets: 1 met, 0 missed, 0 undecided, ")
                .contains("| one-batch fetch, round trip p50 | <= 0.220x direct | 0.200 (0.150 to 0.210) | met |")
                .contains("| label \\| of FETCH | direct | 80.0 |")
                .contains("![Latency](latency.png)");
    }

    /** A test of the checkout holds the manuals to this width; tables may be wider. */
    @Test
    void shouldNotWriteProseWiderThan120Columns() {
        Run wide = Samples.run(
                List.of(),
                Samples.of("FETCH", Side.RDMA, Metric.RATIO, Figure.of(1)),
                Samples.of("FETCH", Side.RDMA, Metric.PROCESSOR_SHARE, Figure.of(1)));

        List<String> lines = ReportDirectory.markdown(wide, List.of())
                .lines()
                .filter(line -> !line.startsWith("|"))
                .toList();

        assertThat(lines).allMatch(line -> line.length() <= 120);
        assertThat(lines).anyMatch(line -> line.startsWith("  ")).anyMatch(line -> line.length() > 100);
        assertThat(Prose.wrap("word ".repeat(30) + "x".repeat(130) + " end", "  ")
                        .lines())
                .containsExactly(
                        "word ".repeat(24).strip(), "  " + "word ".repeat(6).strip(), "  " + "x".repeat(130), "  end");
    }

    @Test
    void shouldPrintAColumnForEachMetricThatIsThere() {
        assertThat(Table.ofResults(RUN.results()).header())
                .containsExactly("workload", "way", "median us", "ratio", "rdma");
        assertThat(RUN.text())
                .contains("what it is", "0.200 (0.150 to 0.210)", "100 %")
                .containsPattern("one-batch fetch, round trip p50 +<= 0.220x direct +.*met");
    }
}
