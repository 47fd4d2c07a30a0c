// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.slipstream.it.Tool;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shipped dashboards are complete, and their queries name existing meters. */
@Timeout(240)
class DashboardsTest {
    private static final int GRID_WIDTH = 24;

    @TempDir
    private Path temporary;

    static List<String> names() {
        return Dashboard.NAMES;
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldPlaceAndDescribeEveryPanel(String name) throws IOException {
        Dashboard dashboard = Dashboard.read(name);
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        for (JsonNode panel : dashboard.panels()) {
            String title = panel.get("title").asText();
            assertThat(ids.add(panel.get("id").asInt())).as("id of %s", title).isTrue();
            JsonNode place = panel.get("gridPos");
            int right = place.get("x").asInt() + place.get("w").asInt();
            assertThat(right).as("right edge of %s", title).isLessThanOrEqualTo(GRID_WIDTH);
            for (int x = place.get("x").asInt(); x < right; x++) {
                for (int y = 0; y < place.get("h").asInt(); y++) {
                    assertThat(cells.add(x + " " + (place.get("y").asInt() + y)))
                            .as("%s overlaps another panel", title)
                            .isTrue();
                }
            }
            assertThat(panel.at("/datasource/uid").asText()).isEqualTo("${datasource}");
            assertThat(panel.at("/fieldConfig/defaults/unit").asText())
                    .as("unit of %s", title)
                    .isNotEmpty();
            assertThat(panel.get("description").asText())
                    .as("description of %s", title)
                    .isNotEmpty();
        }
        assertThat(dashboard.json().get("uid").asText()).isEqualTo("slipstream-" + name);
        assertThat(dashboard.json().at("/templating/list").findValuesAsText("name"))
                .contains("datasource", "job", "instance");
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldQueryExistingMeters(String name) throws IOException {
        for (JsonNode panel : Dashboard.read(name).panels()) {
            for (JsonNode target : panel.path("targets")) {
                Expression expression = new Expression(target.get("expr").asText());
                assertThat(expression.unknown()).as("%s", expression.text()).isEmpty();
                assertThat(expression.known()).as("%s", expression.text()).isNotEmpty();
                expression
                        .known()
                        .forEach(meter -> assertThat(panel.get("description").asText())
                                .contains(meter.id() + ": " + meter.doc()));
            }
        }
    }

    /** Checked as rules, because promtool 2.42 does not check single queries. */
    @Test
    void shouldHaveQueriesThatPrometheusAccepts() throws Exception {
        StringBuilder rules = new StringBuilder("groups:\n  - name: dashboards\n    rules:\n");
        int number = 0;
        for (String name : names()) {
            for (Dashboard.Query query : Dashboard.read(name).queries()) {
                rules.append("      - record: query:").append(number++).append('\n');
                rules.append("        expr: '").append(query.expression("1m")).append("'\n");
            }
        }
        Path file = Files.writeString(
                temporary.resolve("queries.yml"), rules.toString().replace(":query:", "query:"));
        Promtool.check(temporary.resolve("promtool.txt"), "check", "rules", file.toString());
    }

    @Test
    void shouldEqualTheOutputOfTheirSource() throws Exception {
        Tool.require("python3", "python3");
        String build = Checkout.root().resolve("deploy/grafana/build").toString();
        Promtool.run("python3", temporary.resolve("build.txt"), build, "--check");
    }

    @Test
    void shouldCoverEveryDashboard() throws IOException {
        try (Stream<Path> files = Files.list(Dashboard.DIRECTORY)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            names().stream().map(name -> name + ".json").toList());
        }
    }
}
