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
import org.HdrHistogram.Histogram;

/** All rounds of the mixed traffic on a way. */
final class MixedSummary {
    private MixedSummary() {}

    /** @param all samples, including as many of the direct way as of this one */
    static Result of(Subject subject, Way way, int valueBytes, List<MixedSample> all) {
        List<MixedSample> samples = select(all, way);
        List<MixedSample> direct = select(all, Way.DIRECT);
        Histogram delays = Measurement.newHistogram();
        Histogram acknowledgements = Measurement.newHistogram();
        ProcessUse broker = ProcessUse.NONE;
        ProcessUse proxy = ProcessUse.NONE;
        PathCounts paths = PathCounts.NONE;
        double elapsedNs = 0;
        double records = 0;
        double clientNs = 0;
        for (MixedSample sample : samples) {
            delays.add(sample.delays());
            acknowledgements.add(sample.acknowledgements());
            broker = broker.plus(sample.broker());
            proxy = proxy.plus(sample.proxy());
            paths = paths.plus(sample.paths());
            elapsedNs += sample.elapsedNs();
            records += sample.records();
            clientNs += sample.clientNs();
        }
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.MEDIAN, Figure.of(delays.getValueAtPercentile(50) / 1e3));
        figures.put(Metric.P99, Figure.of(delays.getValueAtPercentile(99) / 1e3));
        figures.put(Metric.ACKED_MEDIAN, Figure.of(acknowledgements.getValueAtPercentile(50) / 1e3));
        figures.put(Metric.RATE, Figure.of(delays.getTotalCount() * 1e9 / elapsedNs));
        figures.put(Metric.BANDWIDTH, Figure.of(delays.getTotalCount() * 1e3 * valueBytes / elapsedNs));
        figures.put(Metric.RATIO, ratio(samples, direct, MixedSample::medianUs));
        figures.put(Metric.P99_RATIO, ratio(samples, direct, MixedSample::p99Us));
        figures.put(Metric.BROKER_TIME, Figure.of(broker.cpuNs() / 1e3 / records));
        if (way != Way.DIRECT) {
            figures.put(Metric.PROXY_TIME, Figure.of(proxy.cpuNs() / 1e3 / records));
        }
        figures.put(Metric.CLIENT_TIME, Figure.of(clientNs / 1e3 / records));
        if (way.isRdma()) {
            figures.put(Metric.RDMA_SHARE, Figure.of(paths.rdmaShare()));
        }
        return new Result(subject, way.side(), figures);
    }

    private static Figure ratio(
            List<MixedSample> samples, List<MixedSample> base, ToDoubleFunction<MixedSample> value) {
        double[] ratios = new double[samples.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = value.applyAsDouble(samples.get(i)) / value.applyAsDouble(base.get(i));
        }
        return Figure.ofRounds(ratios);
    }

    private static List<MixedSample> select(List<MixedSample> all, Way way) {
        return all.stream().filter(sample -> sample.way() == way).toList();
    }
}
