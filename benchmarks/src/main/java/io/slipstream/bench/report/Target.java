// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.List;

/**
 * A row of the table of targets.
 *
 * @param workload the one whose result decides it, on {@code side}
 * @param limit of the metric
 * @param direct what the direct way took when the target was set; empty if it was not measured
 * @param plainProxy the same of a proxy without RDMA
 */
public record Target(
        String experiment,
        String workload,
        Side side,
        Metric metric,
        Rule rule,
        double limit,
        String direct,
        String plainProxy) {
    /** How the metric is compared. */
    public enum Rule {
        AT_MOST,
        BELOW,
        /** For a ratio of times that is told as a speed: 10 times as fast is a ratio of at most 0.1. */
        TIMES_AS_FAST,
        /** Met if some round was at the limit or below: a difference that cannot be told from it. */
        REACHES
    }

    static Target of(
            String experiment,
            String workload,
            Metric metric,
            Rule rule,
            double limit,
            String direct,
            String plainProxy) {
        return new Target(experiment, workload, Side.RDMA, metric, rule, limit, direct, plainProxy);
    }

    /** What should be, for people. */
    String wanted() {
        String number = Figure.number(metric.isPercent() ? limit * 100 : limit) + unit();
        return switch (rule) {
            case AT_MOST -> "<= " + number;
            case BELOW -> "< " + number;
            case TIMES_AS_FAST -> ">= " + Figure.number(1 / limit) + "x";
            case REACHES -> "not above " + number;
        };
    }

    private String unit() {
        return switch (metric) {
            case RATIO, P99_RATIO, BROKER_SHARE -> "x direct";
            case FLOOR_RATIO -> "x floor";
            case BROKER_TIME -> " us";
            default -> metric.isPercent() ? " %" : "";
        };
    }

    private boolean isMet(Figure figure) {
        return switch (rule) {
            case AT_MOST, TIMES_AS_FAST -> figure.value() <= limit;
            case BELOW -> figure.value() < limit;
            case REACHES -> figure.lowest() <= limit;
        };
    }

    /** By what was measured, which may be nothing of this target. */
    Verdict judge(List<Result> results) {
        for (Result result : results) {
            Figure figure = result.figure(metric);
            if (result.subject().workload().equals(workload)
                    && result.side().id().equals(side.id())
                    && figure != null) {
                return new Verdict(this, figure, isMet(figure) ? Verdict.Status.MET : Verdict.Status.MISSED);
            }
        }
        return new Verdict(this, null, Verdict.Status.NOT_MEASURED);
    }
}
