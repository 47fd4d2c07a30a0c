// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * All rounds of one workload on one way. Latencies cover all rounds. Ratios to another way are computed within each
 * round, under equal conditions; their spread over the rounds shows their precision.
 */
final class Summary {
    private final List<Sample> samples;
    private final Histogram latencies = Measurement.newHistogram();
    private ProcessUse broker = ProcessUse.NONE;
    private ProcessUse proxy = ProcessUse.NONE;
    private long operations;
    private long recordBytes;
    private long elapsedNs;
    private long idleNs;
    private long byRdma;
    private long clientNs;

    private Summary(List<Sample> samples) {
        this.samples = samples;
        for (Sample sample : samples) {
            latencies.add(sample.measurement().latencies());
            operations += sample.measurement().operations();
            recordBytes += sample.measurement().recordBytes();
            elapsedNs += sample.measurement().elapsedNs();
            broker = broker.plus(sample.broker());
            proxy = proxy.plus(sample.proxy());
            idleNs += sample.brokerIdleNs();
            byRdma += sample.requestsByRdma();
            clientNs += sample.clientNs();
        }
    }

    /** All workloads on all ways. */
    static List<Result> all(String suite, List<Workload> workloads, Set<Way> ways, List<Sample> all) {
        List<Result> results = new ArrayList<>();
        for (Workload workload : workloads) {
            for (Way way : Bench.waysOf(workload, ways)) {
                results.add(of(suite, workload, way, all));
            }
        }
        return results;
    }

    /** @param all samples of the workload, including as many of the direct way as of this one */
    static Result of(String suite, Workload workload, Way way, List<Sample> all) {
        Summary summary = new Summary(select(all, workload, way));
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        summary.putTimes(figures);
        summary.putCosts(figures, way);
        summary.putRatios(figures, new Summary(select(all, workload, Way.DIRECT)), way);
        List<Sample> floor = select(all, workload, Way.ECHO);
        if (!floor.isEmpty()) {
            figures.put(Metric.FLOOR_RATIO, summary.ratio(floor, Sample::costUs));
        }
        if (way.isRdma()) {
            figures.put(
                    Metric.RDMA_SHARE, Figure.of((double) summary.byRdma / summary.operations / workload.requests()));
        }
        return new Result(workload.subject(suite), way.side(), figures);
    }

    private void putTimes(Map<Metric, Figure> figures) {
        figures.put(Metric.MEDIAN, Figure.of(latencies.getValueAtPercentile(50) / 1e3));
        figures.put(Metric.P99, Figure.of(latencies.getValueAtPercentile(99) / 1e3));
        if (samples.get(0).workload().isReplicated()) {
            figures.put(Metric.LONGEST, Figure.of(latencies.getMaxValue() / 1e3));
        }
        figures.put(Metric.RATE, Figure.of(operations * 1e9 / elapsedNs));
        if (isBandwidth()) {
            figures.put(Metric.BANDWIDTH, Figure.of(recordBytes * 1e3 / elapsedNs));
        }
    }

    private void putCosts(Map<Metric, Figure> figures, Way way) {
        figures.put(Metric.CLIENT_TIME, perOperation(clientNs / 1e3));
        if (isBandwidth()) {
            figures.put(Metric.CLIENT_PER_GIGABYTE, perByte(clientNs));
        }
        if (way == Way.ECHO) {
            return;
        }
        figures.put(Metric.BROKER_TIME, together(brokerNs() / 1e3 / operations, rounds(Sample::brokerUsPerOperation)));
        figures.put(Metric.BROKER_TURNS, perOperation(broker.turns()));
        figures.put(Metric.BROKER_BYTES, perOperation(broker.allocatedBytes()));
        if (idleNs > 0) {
            figures.put(Metric.BROKER_IDLE, Figure.of((double) idleNs / elapsedNs));
        }
        if (isBandwidth()) {
            figures.put(Metric.BROKER_PER_GIGABYTE, perByte(brokerNs()));
        }
        if (way.isProxied()) {
            figures.put(Metric.PROXY_TIME, perOperation(proxy.cpuNs() / 1e3));
            figures.put(Metric.PROXY_TURNS, perOperation(proxy.turns()));
            figures.put(Metric.PROXY_BYTES, perOperation(proxy.allocatedBytes()));
            if (isBandwidth()) {
                figures.put(Metric.PROXY_PER_GIGABYTE, perByte(proxy.cpuNs()));
            }
        }
    }

    private void putRatios(Map<Metric, Figure> figures, Summary direct, Way way) {
        figures.put(Metric.RATIO, ratio(direct.samples, Sample::costUs));
        figures.put(
                Metric.P99_RATIO,
                ratio(direct.samples, sample -> sample.measurement().p99Us()));
        if (way != Way.ECHO && direct.brokerNs() > 0) {
            double directNs = direct.brokerNs() / direct.units();
            Figure brokers = ratio(direct.samples, Sample::brokerNsPerUnit);
            figures.put(Metric.BROKER_SHARE, together(brokerNs() / units() / directNs, brokers));
            if (way != Way.DIRECT) {
                Figure both = ratio(direct.samples, Sample::processorNsPerUnit);
                figures.put(Metric.PROCESSOR_SHARE, together((brokerNs() + proxy.cpuNs()) / units() / directNs, both));
            }
        }
    }

    /** Returns whether the result is bandwidth rather than single round trips. */
    private boolean isBandwidth() {
        return recordBytes > 0 && samples.get(0).workload().isThroughput();
    }

    /** Excludes the idle use. */
    private double brokerNs() {
        return broker.cpuNs() - idleNs;
    }

    private double units() {
        return recordBytes > 0 ? recordBytes : operations;
    }

    /** A value of all rounds together with the spread of the single ones. */
    private static Figure together(double value, Figure rounds) {
        return new Figure(value, rounds.lowest(), rounds.highest());
    }

    private Figure rounds(ToDoubleFunction<Sample> value) {
        return Figure.ofRounds(samples.stream().mapToDouble(value).toArray());
    }

    private Figure perOperation(double value) {
        return Figure.of(value / operations);
    }

    /** Nanoseconds per byte equal seconds per gigabyte. */
    private Figure perByte(double ns) {
        return Figure.of(ns / recordBytes);
    }

    private Figure ratio(List<Sample> base, ToDoubleFunction<Sample> cost) {
        double[] ratios = new double[samples.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = cost.applyAsDouble(samples.get(i)) / cost.applyAsDouble(base.get(i));
        }
        return Figure.ofRounds(ratios);
    }

    private static List<Sample> select(List<Sample> all, Workload workload, Way way) {
        return all.stream()
                .filter(sample -> sample.workload().equals(workload) && sample.way() == way)
                .toList();
    }
}
