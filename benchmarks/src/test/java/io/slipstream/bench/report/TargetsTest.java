// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.bench.report.Verdict.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetsTest {
    @Test
    void shouldJudgeTheRdmaWayByTheMedianOfItsRounds() {
        assertThat(only(Samples.of("FETCH", Side.RDMA, Metric.RATIO, new Figure(0.5, 0.4, 0.9))))
                .isEqualTo(Status.MET);
        assertThat(only(Samples.of("FETCH", Side.RDMA, Metric.RATIO, new Figure(0.501, 0.4, 0.9))))
                .isEqualTo(Status.MISSED);
        assertThat(only(Samples.of("FETCH", new Side("PROXY_TCP", "proxy, TCP"), Metric.RATIO, Figure.of(0.1))))
                .isEqualTo(Status.NOT_MEASURED);
        assertThat(only(Samples.of("FETCH_1K", Side.RDMA, Metric.RATIO, Figure.of(0.1))))
                .isEqualTo(Status.NOT_MEASURED);
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

        assertThat(verdict.status()).isEqualTo(Status.MET);
        assertThat(verdict.target().wanted()).isEqualTo(">= 10.0x");
        assertThat(verdict.seen()).isEqualTo("12.5 (8.00 to 20.0) times");
    }

    @Test
    void shouldNotMeetALimitThatMustBeUndercut() {
        Result atLimit = Samples.of("EMPTY_FETCH_PIPELINED", Side.RDMA, Metric.BROKER_TIME, Figure.of(0.1));

        assertThat(verdict("broker processor time per empty fetch", atLimit).status())
                .isEqualTo(Status.MISSED);
    }

    @Test
    void shouldMeetADifferenceThatCannotBeToldFromZero() {
        String waiting = "what 1 000 waiting consumers add to the broker";

        assertThat(verdict(
                                waiting,
                                Samples.of("IDLE_1000", Side.RDMA, Metric.BROKER_ADDED, new Figure(0.01, -0.01, 0.02)))
                        .status())
                .isEqualTo(Status.MET);
        assertThat(verdict(
                                waiting,
                                Samples.of("IDLE_1000", Side.RDMA, Metric.BROKER_ADDED, new Figure(0.01, 0.005, 0.02)))
                        .status())
                .isEqualTo(Status.MISSED);
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

    private static Verdict verdict(String experiment, Result result) {
        return Targets.judge(List.of(result)).stream()
                .filter(each -> each.target().experiment().equals(experiment))
                .findFirst()
                .orElseThrow();
    }
}
