// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.ring.RingApis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The shipped alert rules name existing meters, each has a runbook page, and promtool's unit tests pass. */
@Timeout(240)
class AlertRulesTest {
    private static final List<String> SECTIONS =
            List.of("## What it means", "## Impact", "## How to look", "## What to do", "## When to escalate");

    @TempDir
    private Path temporary;

    static Stream<String> alerts() {
        return AlertRules.bodies().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void shouldNameExistingMetersInAlerts(String alert) {
        String body = AlertRules.bodies().get(alert);
        Expression expression = AlertRules.expression(body);
        assertThat(expression.unknown()).isEmpty();
        assertThat(body)
                .containsPattern("severity: (critical|warning|info)\n")
                .contains("summary: ")
                .containsPattern("description: .*\\{\\{")
                .contains("runbook_url: https://slipstream.example/docs/runbooks/" + alert + ".md\n");
        assertThat(AlertRules.read(AlertRules.TESTS))
                .contains("name: " + alert + " fires\n", alert + " does not fire: ");
    }

    /** Requests that are no reason to use RDMA would hide those that fall back. */
    @ParameterizedTest
    @ValueSource(strings = {"SlipstreamRdmaShareLow", "SlipstreamFallbacks"})
    void shouldCompareFallbacksWithWhatCouldUseRdma(String alert) {
        String carried = Arrays.stream(ApiKeys.values())
                .filter(api -> api != ApiKeys.PRODUCE && isCarried(api) && RingApis.opens(api.id))
                .map(ApiKeys::name)
                .collect(Collectors.joining("|", "PRODUCE|FETCH|", ""));
        assertThat(AlertRules.bodies().get(alert)).contains("slipstream_requests_total{api=~\"" + carried + "\"}");
    }

    private static boolean isCarried(ApiKeys api) {
        return RingApis.carries(api.id, api.oldestVersion()) || RingApis.carries(api.id, api.latestVersion(false));
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void shouldHaveACompleteRunbook(String alert) throws IOException {
        String page = AlertRules.read(AlertRules.RUNBOOKS.resolve(alert + ".md"));
        assertThat(page).startsWith("# " + alert + "\n").contains(SECTIONS);
        String severity = AlertRules.bodies().get(alert).replaceAll("(?s).*severity: (\\w+).*", "$1");
        assertThat(page).contains("Severity: " + severity + ".");
        assertThat(AlertRules.read(AlertRules.RUNBOOKS.resolve("README.md")))
                .contains("[" + alert + "](" + alert + ".md)");
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void shouldNameExistingMetersInRunbooks(String alert) {
        String page = AlertRules.read(AlertRules.RUNBOOKS.resolve(alert + ".md"));
        String meters = page.replaceAll("(?s)[^`]*`([^`]*)`|[^`]+$", "$1\n")
                .lines()
                .filter(code -> code.contains("slipstream_"))
                .reduce("", (all, code) -> all + "\n" + code)
                // Pages may name a whole histogram.
                .replaceAll("_seconds(?![a-z_])", "_seconds_count");
        assertThat(new Expression(meters).unknown())
                .filteredOn(unknown -> unknown.startsWith("meter slipstream_"))
                .isEmpty();
    }

    @Test
    void shouldHaveNoRunbookWithoutAnAlert() throws IOException {
        try (Stream<Path> pages = Files.list(AlertRules.RUNBOOKS)) {
            assertThat(pages.map(page -> page.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(alerts().map(alert -> alert + ".md"), Stream.of("README.md"))
                                    .toList());
        }
    }

    /** The comparison must be able to fail. */
    @Test
    void shouldReportUnknownMetersLabelsAndValues() {
        Expression expression =
                new Expression("sum by (colour) (rate(slipstream_fallbacks_total{reason=\"unknown\"}[5m]))"
                        + " / slipstream_fallback_total{x=\"y\"} > ignoring (path) slipstream_ready{reason=\"limit\"}");
        assertThat(expression.unknown())
                .containsExactly(
                        "value unknown of label reason of slipstream_fallbacks_total",
                        "meter slipstream_fallback_total",
                        "label reason of slipstream_ready",
                        "label colour",
                        "label path");
    }

    @Test
    void shouldBeAcceptedByPrometheus() throws Exception {
        Path output = temporary.resolve("promtool.txt");
        Promtool.check(output, "check", "rules", AlertRules.FILE.toString());
        Promtool.check(
                output,
                "check",
                "config",
                AlertRules.FILE.resolveSibling("prometheus.yml").toString());
    }

    @Test
    void shouldPassPromtoolsUnitTests() throws Exception {
        Promtool.check(temporary.resolve("promtool.txt"), "test", "rules", AlertRules.TESTS.toString());
    }
}
