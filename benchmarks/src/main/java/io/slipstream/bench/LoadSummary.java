// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** The rounds of each load on each way, and the highest load within the limit. */
final class LoadSummary {
    static final String LIMIT = "LOAD_WITHIN_LIMIT";

    private LoadSummary() {}

    static List<Result> all(String suite, Set<Way> ways, double p99LimitMs, List<LoadSample> samples) {
        List<Result> results = new ArrayList<>();
        for (int offered :
                samples.stream().map(LoadSample::offered).sorted().distinct().toList()) {
            for (Way way : ways) {
                List<LoadSample> chosen = select(samples, way, offered);
                if (!chosen.isEmpty()) {
                    results.add(level(suite, way, offered, chosen, select(samples, Way.DIRECT, offered)));
                }
            }
        }
        for (Way way : ways) {
            results.add(limit(suite, way, p99LimitMs, samples));
        }
        return results;
    }

    private static Result level(String suite, Way way, int offered, List<LoadSample> samples, List<LoadSample> direct) {
        Histogram latencies = Measurement.newHistogram();
        ProcessUse broker = ProcessUse.NONE;
        ProcessUse proxy = ProcessUse.NONE;
        long answered = 0;
        long elapsedNs = 0;
        long byRdma = 0;
        long all = 0;
        for (LoadSample sample : samples) {
            latencies.add(sample.latencies());
            broker = broker.plus(sample.broker());
            proxy = proxy.plus(sample.proxy());
            answered += sample.answered();
            elapsedNs += sample.elapsedNs();
            byRdma += sample.requestsByRdma();
            all += sample.all();
        }
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.MEDIAN, Figure.of(latencies.getValueAtPercentile(50) / 1e3));
        figures.put(Metric.P99, Figure.of(latencies.getValueAtPercentile(99) / 1e3));
        figures.put(Metric.RATE, Figure.of(answered * 1e9 / elapsedNs));
        putRatio(figures, Metric.RATIO, samples, direct, LoadSample::medianUs);
        putRatio(figures, Metric.P99_RATIO, samples, direct, LoadSample::p99Ms);
        figures.put(Metric.BROKER_TIME, Figure.of(broker.cpuNs() / 1e3 / all));
        if (way != Way.DIRECT) {
            figures.put(Metric.PROXY_TIME, Figure.of(proxy.cpuNs() / 1e3 / all));
        }
        if (way.isRdma()) {
            figures.put(Metric.RDMA_SHARE, Figure.of((double) byRdma / all));
        }
        Subject subject = new Subject(
                suite, "LOAD_" + offered, "produce 1 KiB, " + offered + "/s due", Map.of(Subject.OFFERED, (long)
                        offered));
        return new Result(subject, way.side(), figures);
    }

    /** Within rounds that measured both. */
    private static void putRatio(
            Map<Metric, Figure> figures,
            Metric metric,
            List<LoadSample> samples,
            List<LoadSample> direct,
            ToDoubleFunction<LoadSample> cost) {
        List<Double> ratios = new ArrayList<>();
        for (LoadSample sample : samples) {
            direct.stream()
                    .filter(base -> base.round() == sample.round())
                    .forEach(base -> ratios.add(cost.applyAsDouble(sample) / cost.applyAsDouble(base)));
        }
        if (!ratios.isEmpty()) {
            figures.put(
                    metric,
                    Figure.ofRounds(
                            ratios.stream().mapToDouble(Double::doubleValue).toArray()));
        }
    }

    private static Result limit(String suite, Way way, double p99LimitMs, List<LoadSample> samples) {
        double[] highest = highest(way, p99LimitMs, samples);
        double[] direct = highest(Way.DIRECT, p99LimitMs, samples);
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.LOAD_WITHIN, Figure.ofRounds(highest));
        double[] ratios = new double[highest.length];
        boolean compares = true;
        for (int round = 0; round < ratios.length; round++) {
            ratios[round] = direct[round] / highest[round];
            compares &= direct[round] > 0 && highest[round] > 0;
        }
        if (compares) {
            figures.put(Metric.RATIO, Figure.ofRounds(ratios));
        }
        Subject subject = new Subject(suite, LIMIT, "highest load, p99 within " + p99LimitMs + " ms", Map.of());
        return new Result(subject, way.side(), figures);
    }

    /** Answers per second of the highest load within the limit in each round; 0 without one. */
    static double[] highest(Way way, double p99LimitMs, List<LoadSample> samples) {
        int rounds = samples.stream().mapToInt(LoadSample::round).max().orElse(-1) + 1;
        double[] highest = new double[rounds];
        for (LoadSample sample : samples) {
            if (sample.way() == way && sample.isCarried(p99LimitMs)) {
                highest[sample.round()] = Math.max(highest[sample.round()], sample.perSecond());
            }
        }
        return highest;
    }

    private static List<LoadSample> select(List<LoadSample> all, Way way, int offered) {
        return all.stream()
                .filter(sample -> sample.way() == way && sample.offered() == offered)
                .toList();
    }
}
