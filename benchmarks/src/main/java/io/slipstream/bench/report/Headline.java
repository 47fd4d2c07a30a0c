// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.ArrayList;
import java.util.List;

/** The few figures of the front page: direct beside the proxy with RDMA. */
public final class Headline {
    private static final List<String> WORKLOADS = List.of(
            "PRODUCE",
            "FETCH",
            "EMPTY_FETCH",
            "END_TO_END",
            "PRODUCE_1K_PIPELINED",
            "EMPTY_FETCH_PIPELINED",
            "PRODUCE_RF3");
    private static final List<String> HEADER = List.of(
            "workload",
            "direct, median µs",
            "Slipstream, median µs",
            "ratio of the medians or rates",
            "broker CPU µs, direct",
            "broker CPU µs, Slipstream",
            "proxy CPU µs");

    private Headline() {}

    public static Table of(Run run) {
        List<List<String>> rows = new ArrayList<>();
        for (String workload : WORKLOADS) {
            List<Result> measured = run.results().stream()
                    .filter(result -> result.subject().workload().equals(workload))
                    .toList();
            if (!measured.isEmpty()) {
                rows.add(List.of(
                        measured.get(0).subject().label(),
                        cell(measured, Side.DIRECT, Metric.MEDIAN),
                        cell(measured, Side.RDMA, Metric.MEDIAN),
                        cell(measured, Side.RDMA, Metric.RATIO),
                        cell(measured, Side.DIRECT, Metric.BROKER_TIME),
                        cell(measured, Side.RDMA, Metric.BROKER_TIME),
                        cell(measured, Side.RDMA, Metric.PROXY_TIME)));
            }
        }
        return new Table(HEADER, rows);
    }

    private static String cell(List<Result> measured, Side side, Metric metric) {
        return measured.stream()
                .filter(result -> result.side().equals(side) && result.figure(metric) != null)
                .map(result -> result.figure(metric).text(metric.isPercent()))
                .findFirst()
                .orElse("");
    }
}
