// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.slipstream.bench.gate.Comparison.Verdict;
import io.slipstream.bench.source.Commit;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GateReportTest {
    private static final Commit COMMIT = new Commit("b".repeat(40), false);
    private static final int ROUNDS = 12;
    private static final int SEEDS = 1_000;
    /** Of a single measurement on a busy machine. */
    private static final double NOISE = 0.15;

    @Test
    void shouldFailOnTwiceTheTime() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Comparison planted = comparison("produce", seed, 2);

            assertThat(planted.verdict()).as("seed %d", seed).isEqualTo(Verdict.SLOWER);
            assertThat(report(List.of(planted), List.of(planted)).slower()).containsExactly("produce");
        }
    }

    @Test
    void shouldPassOnNoise() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Comparison noise = comparison("produce", seed, 1);

            assertThat(noise.verdict()).as("seed %d", seed).isNotEqualTo(Verdict.SLOWER);
            assertThat(report(List.of(noise)).slower()).isEmpty();
        }
    }

    /** One pair in twelve is disturbed by a factor of ten. */
    @Test
    void shouldNotMindAPairThatIsDisturbed() {
        double[][] pairs = pairs(7, 0.02, 1);
        pairs[3][1] *= 10;

        assertThat(Comparison.of("fetch", pairs).verdict()).isEqualTo(Verdict.NOT_SLOWER);
    }

    @Test
    void shouldNotDecideIfTheIntervalCrossesTheLimit() {
        assertThat(Comparison.of("fetch", pairs(1, 0.1, Comparison.LIMIT)).verdict())
                .isEqualTo(Verdict.UNDECIDED);
        assertThat(Comparison.of("fetch", new double[][] {{1, 2}}).verdict()).isEqualTo(Verdict.UNDECIDED);
    }

    @Test
    void shouldFailOnlyOnWhatIsSlowerInBothSets() {
        Comparison slow = comparison("produce", 1, 2);
        Comparison same = comparison("fetch", 2, 1);
        Comparison slowFetch = comparison("fetch", 3, 2);
        Comparison sameProduce = comparison("produce", 4, 1);

        assertThat(GateReport.isSuspicious(List.of(same, sameProduce))).isFalse();
        assertThat(GateReport.isSuspicious(List.of(slow, same))).isTrue();
        assertThat(report(List.of(slow, same), List.of(sameProduce, slowFetch)).slower())
                .isEmpty();
        GateReport failed = report(List.of(slow, same), List.of(slow, slowFetch));
        assertThat(failed.slower()).containsExactly("produce");
        assertThat(failed.text())
                .contains("once more, with other processes")
                .endsWith("\ngate: FAILED, 0 not slower, 2 slower, 0 undecided; slower in both sets: produce\n");
    }

    @Test
    void shouldWriteCommitAndParent() {
        JsonNode json = report(List.of(comparison("produce", 1, 2))).json();

        assertThat(json.get("commit").asText()).isEqualTo("b".repeat(40));
        assertThat(json.get("parent").asText()).isEqualTo("a".repeat(40));
        assertThat(json.get("passed").asBoolean()).isFalse();
        assertThat(json.at("/sets/0/0/verdict").asText()).isEqualTo("slower");
        assertThat(json.at("/sets/0/0/lowest").asDouble()).isGreaterThan(Comparison.LIMIT);
    }

    private static GateReport report(List<Comparison> only) {
        return new GateReport(COMMIT, "a".repeat(40), List.of(only));
    }

    private static GateReport report(List<Comparison> first, List<Comparison> second) {
        return new GateReport(COMMIT, "a".repeat(40), List.of(first, second));
    }

    private static Comparison comparison(String figure, int seed, double factor) {
        return Comparison.of(figure, pairs(seed, NOISE, factor));
    }

    private static double[][] pairs(int seed, double noise, double factor) {
        Random random = new Random(seed);
        return IntStream.range(0, ROUNDS)
                .mapToObj(round -> new double[] {
                    100 * Math.exp(noise * random.nextGaussian()),
                    100 * factor * Math.exp(noise * random.nextGaussian())
                })
                .toArray(double[][]::new);
    }
}
