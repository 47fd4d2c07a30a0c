// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import io.slipstream.process.PathCounts;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** All rounds of one tool on one way: medians of the rounds, and ratios within each. */
final class ToolSummary {
    private ToolSummary() {}

    /** @param all samples of the tool, including as many of the direct way as of this one */
    static Result of(String suite, StockTool tool, Way way, List<ToolSample> all) {
        List<ToolSample> samples = select(all, tool, way);
        List<ToolSample> direct = select(all, tool, Way.DIRECT);
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        if (tool.isThroughput()) {
            figures.put(Metric.RATE, rounds(samples, sample -> 1e6 / sample.costUs()));
            figures.put(Metric.BANDWIDTH, rounds(samples, sample -> tool.recordBytes() / sample.costUs()));
            figures.put(Metric.BROKER_PER_GIGABYTE, rounds(samples, sample -> sample.brokerNs() / sample.bytes()));
            if (way != Way.DIRECT) {
                figures.put(Metric.PROXY_PER_GIGABYTE, rounds(samples, sample -> sample.proxyNs() / sample.bytes()));
            }
        } else {
            figures.put(Metric.MEAN, rounds(samples, ToolSample::costUs));
        }
        if (!tool.isPaced()) {
            figures.put(Metric.RATIO, ratio(samples, direct, ToolSample::costUs));
        }
        for (Metric metric : samples.get(0).start().keySet()) {
            figures.put(metric, rounds(samples, sample -> sample.start().get(metric)));
        }
        if (figures.containsKey(Metric.START)) {
            figures.put(
                    Metric.START_RATIO,
                    ratio(samples, direct, sample -> sample.start().get(Metric.START)));
            figures.put(Metric.FIRST_SECOND_RATIO, ratio(direct, samples, ToolSample::firstSecond));
        }
        if (tool.isThroughput() && direct.stream().allMatch(sample -> sample.brokerNs() > 0)) {
            figures.put(Metric.BROKER_SHARE, ratio(samples, direct, ToolSample::brokerNs));
            figures.put(Metric.PROCESSOR_SHARE, ratio(samples, direct, ToolSample::processorsNs));
        }
        if (way.isRdma()) {
            PathCounts paths = samples.stream().map(ToolSample::paths).reduce(PathCounts.NONE, PathCounts::plus);
            figures.put(Metric.RDMA_SHARE, Figure.of(paths.rdmaShare()));
        }
        Subject subject =
                new Subject(suite, tool.name(), tool.tool(), Map.of(Subject.RECORD_BYTES, (long) tool.recordBytes()));
        return new Result(subject, way.side(), figures);
    }

    private static Figure rounds(List<ToolSample> samples, ToDoubleFunction<ToolSample> value) {
        return Figure.ofRounds(samples.stream().mapToDouble(value).toArray());
    }

    private static Figure ratio(List<ToolSample> samples, List<ToolSample> base, ToDoubleFunction<ToolSample> value) {
        double[] ratios = new double[samples.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = value.applyAsDouble(samples.get(i)) / value.applyAsDouble(base.get(i));
        }
        return Figure.ofRounds(ratios);
    }

    private static List<ToolSample> select(List<ToolSample> all, StockTool tool, Way way) {
        return all.stream()
                .filter(sample -> sample.tool() == tool && sample.way() == way)
                .toList();
    }
}
