// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.bench.report.Verdict.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetsTest {
    @Test
    void shouldDecideByTheWholeSpreadOfTheRounds() {
        assertThat(fetch(new Figure(0.2, 0.15, 0.22))).isEqualTo(Status.MET);
        assertThat(fetch(new Figure(0.3, 0.221, 0.9))).isEqualTo(Status.MISSED);
    }

    /** Half of the rounds at 0.2 and half at 0.3, in each order of the median. */
    @Test
    void shouldLeaveRoundsUndecidedThatCrossTheLimit() {
        assertThat(fetch(Figure.ofRounds(new double[] {0.2, 0.21, 0.3}))).isEqualTo(Status.UNDECIDED);
        assertThat(fetch(Figure.ofRounds(new double[] {0.2, 0.25, 0.3}))).isEqualTo(Status.UNDECIDED);
        assertThat(fetch(new Figure(0.221, 0.2, 0.9))).isEqualTo(Status.UNDECIDED);
    }

    @Test
    void shouldNotDecideByOneRound() {
        assertThat(fetch(Figure.ofRounds(new double[] {0.1}))).isEqualTo(Status.UNDECIDED);
    }

    @Test
    void shouldJudgeTheRdmaWayOfTheTargetsWorkload() {
        Figure good = new Figure(0.1, 0.09, 0.11);

        assertThat(only(Samples.of("FETCH", new Side("PROXY_TCP", "proxy, TCP"), Metric.RATIO, good)))
                .isEqualTo(Status.NOT_MEASURED);
        assertThat(only(Samples.of("FETCH_1K", Side.RDMA, Metric.RATIO, good))).isEqualTo(Status.NOT_MEASURED);
    }

    private static Status fetch(Figure ratio) {
        return only(Samples.of("FETCH", Side.RDMA, Metric.RATIO, ratio));
    }

    /** Status of the one-batch fetch's round trip. */
    private static Status only(Result result) {
        return verdict("one-batch fetch, round trip p50", result).status();
    }

    @Test
    void shouldTellThroughputAsASpeed() {
        Verdict verdict = verdict(
                "empty fetches per second, 32 in flight",
                Samples.of("EMPTY_FETCH_PIPELINED", Side.RDMA, Metric.RATIO, new Figure(0.08, 0.05, 0.125)));

        assertThat(verdict.status()).isEqualTo(Status.UNDECIDED);
        assertThat(verdict.target().wanted()).isEqualTo(">= 10.0x");
        assertThat(verdict.seen()).isEqualTo("12.5 (8.00 to 20.0) times");
    }

    @Test
    void shouldNotMeetALimitThatMustBeUndercut() {
        String target = "broker processor time per empty fetch";

        assertThat(verdict(target, brokerTime(new Figure(0.1, 0.09, 0.1))).status())
                .isEqualTo(Status.UNDECIDED);
        assertThat(verdict(target, brokerTime(new Figure(0.15, 0.1, 0.2))).status())
                .isEqualTo(Status.MISSED);
    }

    private static Result brokerTime(Figure figure) {
        return Samples.of("EMPTY_FETCH_PIPELINED", Side.RDMA, Metric.BROKER_TIME, figure);
    }

    /** The proxy stands at 1.05 of the floor. A quarter more of the floor in the proxy misses the target. */
    @Test
    void shouldMissTheFloorWithAQuarterMore() {
        assertThat(floor(new Figure(1.05, 1.05, 1.11))).isEqualTo(Status.MET);
        assertThat(floor(new Figure(1.30, 1.25, 1.36))).isEqualTo(Status.MISSED);
    }

    private static Status floor(Figure figure) {
        return verdict(
                        "empty fetch, to the echo floor",
                        Samples.of("EMPTY_FETCH", Side.RDMA, Metric.FLOOR_RATIO, figure))
                .status();
    }

    @Test
    void shouldHoldBrokerAndProxyTogetherToDirect() {
        for (String workload : List.of("PRODUCE", "FETCH", "PRODUCE_1K_PIPELINED", "SCAN")) {
            assertThat(Targets.TABLE)
                    .filteredOn(target -> target.metric() == Metric.PROCESSOR_SHARE
                            && target.workload().equals(workload))
                    .singleElement()
                    .matches(target -> target.limit() == 1 && target.wanted().equals("<= 1.00x direct"));
        }
    }

    @Test
    void shouldJudgeStreamsByItsStartAndByAConstantLoad() {
        Verdict first = verdict(
                "Kafka Streams at exactly-once, first second",
                Samples.of("STREAMS", Side.RDMA, Metric.FIRST_SECOND_RATIO, new Figure(1.2, 1.1, 1.3)));
        assertThat(first.status()).isEqualTo(Status.MISSED);
        assertThat(first.target().wanted()).isEqualTo("<= 1.00x direct");

        Verdict start = verdict(
                "Kafka Streams at exactly-once, start",
                Samples.of("STREAMS", Side.RDMA, Metric.START_RATIO, new Figure(0.9, 0.8, 1.1)));
        assertThat(start.status()).isEqualTo(Status.UNDECIDED);
        assertThat(start.target().wanted()).isEqualTo("<= 1.00x direct");

        Verdict paced = verdict(
                "Kafka Streams at 2 000 records/s, broker and proxy processor time",
                Samples.of("STREAMS_PACED", Side.RDMA, Metric.PROCESSOR_SHARE, new Figure(0.85, 0.8, 0.9)));
        assertThat(paced.status()).isEqualTo(Status.MET);
        assertThat(paced.target().wanted()).isEqualTo("<= 0.900x direct");
    }

    @Test
    void shouldCountTheVerdicts() {
        Run run = Samples.run(
                List.of(),
                Samples.of("FETCH", Side.RDMA, Metric.RATIO, new Figure(0.2, 0.15, 0.3)),
                Samples.of("PRODUCE", Side.RDMA, Metric.RATIO, new Figure(2, 1.5, 3)),
                Samples.of("EMPTY_FETCH", Side.RDMA, Metric.RATIO, new Figure(0.2, 0.15, 0.24)));

        assertThat(run.summary())
                .isEqualTo("targets: 1 met, 1 missed, 1 undecided, " + (Targets.TABLE.size() - 3) + " not measured");
        assertThat(run.text()).endsWith(run.summary() + '\n');
    }

    @Test
    void shouldHoldEachLatencyOfTheTableToDirectsP99() {
        for (Target target : Targets.TABLE) {
            if (target.experiment().endsWith("p50")) {
                assertThat(Targets.TABLE)
                        .as(target.experiment())
                        .anyMatch(other -> other.workload().equals(target.workload())
                                && other.metric() == Metric.P99_RATIO
                                && other.limit() == 1);
            }
        }
    }

    @Test
    void shouldShowTheFloorBesideARatio() {
        Result measured = Samples.of("EMPTY_FETCH", Side.RDMA, Metric.RATIO, new Figure(0.35, 0.34, 0.37));
        Result floor = Samples.of("EMPTY_FETCH", Side.FLOOR, Metric.RATIO, new Figure(0.36, 0.35, 0.37));

        assertThat(verdict("empty fetch, round trip p50", measured).floorSeen()).isEmpty();
        assertThat(verdict("empty fetch, round trip p50", measured, floor).floorSeen())
                .isEqualTo("0.360 (0.350 to 0.370)");
        assertThat(verdict("empty fetch, round trip p50", floor).status()).isEqualTo(Status.NOT_MEASURED);
    }

    private static Verdict verdict(String experiment, Result... results) {
        return Targets.judge(List.of(results)).stream()
                .filter(each -> each.target().experiment().equals(experiment))
                .findFirst()
                .orElseThrow();
    }
}
