// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** All rounds of a stream on a way, and its delay over time. */
final class EventSummary {
    private static final double MEDIAN = 50;
    private static final double P99 = 99;
    /** Time between points of a plot. */
    private static final double SLOT_SECONDS = 0.05;

    private EventSummary() {}

    /** @param all samples, including as many of the direct way as of this one */
    static Result of(String suite, EventStream stream, Way way, List<EventSample> all) {
        List<EventSample> samples = select(all, stream, way);
        List<EventSample> direct = select(all, stream, Way.DIRECT);
        long[] delaysNs = samples.stream()
                .flatMapToLong(sample -> Arrays.stream(sample.delaysNs()).skip(sample.firstMeasured()))
                .toArray();
        ProcessUse broker = samples.stream().map(EventSample::broker).reduce(ProcessUse.NONE, ProcessUse::plus);
        ProcessUse proxy = samples.stream().map(EventSample::proxy).reduce(ProcessUse.NONE, ProcessUse::plus);
        double events =
                samples.stream().mapToLong(sample -> sample.delaysNs().length).sum();
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.MEDIAN, Figure.of(EventSample.percentileUs(delaysNs, MEDIAN)));
        figures.put(Metric.P99, Figure.of(EventSample.percentileUs(delaysNs, P99)));
        figures.put(Metric.RATIO, ratio(samples, direct, sample -> sample.percentileUs(MEDIAN)));
        figures.put(Metric.P99_RATIO, ratio(samples, direct, sample -> sample.percentileUs(P99)));
        figures.put(Metric.BROKER_TIME, Figure.of(broker.cpuNs() / 1e3 / events));
        if (way != Way.DIRECT) {
            figures.put(Metric.PROXY_TIME, Figure.of(proxy.cpuNs() / 1e3 / events));
        }
        if (way.isRdma()) {
            figures.put(
                    Metric.RDMA_SHARE,
                    Figure.of(sum(samples, EventSample::requestsByRdma) / sum(samples, EventSample::requests)));
        }
        return new Result(new Subject(suite, stream.name(), stream.label(), Map.of()), way.side(), figures);
    }

    private static double sum(List<EventSample> samples, ToLongFunction<EventSample> value) {
        return samples.stream().mapToLong(value).sum();
    }

    private static Figure ratio(
            List<EventSample> samples, List<EventSample> base, ToDoubleFunction<EventSample> value) {
        double[] ratios = new double[samples.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = value.applyAsDouble(samples.get(i)) / value.applyAsDouble(base.get(i));
        }
        return Figure.ofRounds(ratios);
    }

    /** Returns the largest delay in each twentieth of a second of scheduled time, as median of the rounds. */
    static Plot overTime(EventStream stream, Set<Way> ways, List<EventSample> all) {
        List<Plot.Line> lines = new ArrayList<>();
        for (Way way : ways) {
            Map<Long, List<Double>> largestUs = new TreeMap<>();
            for (EventSample sample : select(all, stream, way)) {
                largest(sample)
                        .forEach((slot, us) -> largestUs
                                .computeIfAbsent(slot, key -> new ArrayList<>())
                                .add(us));
            }
            lines.add(new Plot.Line(
                    way.label(),
                    largestUs.keySet().stream().map(slot -> slot * SLOT_SECONDS).toList(),
                    largestUs.values().stream().map(EventSummary::median).toList()));
        }
        return new Plot(
                stream.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                "Delay of " + stream.label(),
                Plot.Axis.linear("seconds"),
                Plot.Axis.logarithmic("largest delay in 50 ms, µs"),
                lines);
    }

    private static Map<Long, Double> largest(EventSample sample) {
        Map<Long, Double> largest = new TreeMap<>();
        for (int i = sample.firstMeasured(); i < sample.delaysNs().length; i++) {
            largest.merge((long) (sample.dueSeconds(i) / SLOT_SECONDS), sample.delaysNs()[i] / 1e3, Math::max);
        }
        return largest;
    }

    private static double median(List<Double> values) {
        return Figure.ofRounds(values.stream().mapToDouble(Double::doubleValue).toArray())
                .value();
    }

    private static List<EventSample> select(List<EventSample> all, EventStream stream, Way way) {
        return all.stream()
                .filter(sample -> sample.stream() == stream && sample.way() == way)
                .toList();
    }
}
