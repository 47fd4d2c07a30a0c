// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.List;
import java.util.Objects;

/**
 * A row of the table of targets.
 *
 * @param workload workload whose result on {@code side} decides
 * @param limit limit of the metric
 */
public record Target(String experiment, String workload, Side side, Metric metric, Rule rule, double limit) {
    /** Comparison of the metric. */
    public enum Rule {
        AT_MOST,
        BELOW,
        /** A ratio of times, shown as a speed-up: 10 times as fast is a ratio of at most 0.1. */
        TIMES_AS_FAST
    }

    static Target of(String experiment, String workload, Metric metric, Rule rule, double limit) {
        return new Target(experiment, workload, Side.RDMA, metric, rule, limit);
    }

    /** Returns the requirement as text. */
    String wanted() {
        String number = Figure.number(metric.isPercent() ? limit * 100 : limit) + unit();
        return switch (rule) {
            case AT_MOST -> "<= " + number;
            case BELOW -> "< " + number;
            case TIMES_AS_FAST -> ">= " + Figure.number(1 / limit) + "x";
        };
    }

    private String unit() {
        return switch (metric) {
            case RATIO, P99_RATIO, START_RATIO, FIRST_SECOND_RATIO, BROKER_SHARE, PROCESSOR_SHARE -> "x direct";
            case FLOOR_RATIO -> "x floor";
            case BROKER_TIME, PROXY_TIME -> " us";
            default -> metric.isPercent() ? " %" : "";
        };
    }

    private boolean isMetBy(double value) {
        return rule == Rule.BELOW ? value < limit : value <= limit;
    }

    /** All rounds must agree. A figure without a spread has one round or none, and decides nothing. */
    private Verdict.Status status(Figure figure) {
        if (!figure.hasSpread() || isMetBy(figure.lowest()) != isMetBy(figure.highest())) {
            return Verdict.Status.UNDECIDED;
        }
        return isMetBy(figure.lowest()) ? Verdict.Status.MET : Verdict.Status.MISSED;
    }

    /** Judges the results, which may lack this target's workload. */
    Verdict judge(List<Result> results) {
        Figure figure = figure(side, results);
        boolean isRatio = metric == Metric.RATIO || metric == Metric.P99_RATIO;
        return new Verdict(
                this,
                figure,
                isRatio ? figure(Side.FLOOR, results) : null,
                figure == null ? Verdict.Status.NOT_MEASURED : status(figure));
    }

    private Figure figure(Side on, List<Result> results) {
        return results.stream()
                .filter(result -> result.subject().workload().equals(workload)
                        && result.side().id().equals(on.id()))
                .map(result -> result.figure(metric))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
