// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;

/** Converts the series to Prometheus' model at a scrape. Meters without any series are left out. */
final class SeriesCollector implements MultiCollector {
    private static final String COUNTER_SUFFIX = "_total";
    private static final double NS_PER_SECOND = 1e9;
    private static final double[] UPPER_BOUNDS_SECONDS = upperBoundsSeconds();

    private final Map<MeterDefinition, Map<List<String>, Series>> series;

    SeriesCollector(Map<MeterDefinition, Map<List<String>, Series>> series) {
        this.series = series;
    }

    @Override
    public MetricSnapshots collect() {
        MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        series.forEach((meter, ofMeter) -> {
            if (!ofMeter.isEmpty()) {
                snapshots.metricSnapshot(snapshot(meter, ofMeter));
            }
        });
        return snapshots.build();
    }

    private static MetricSnapshot snapshot(MeterDefinition meter, Map<List<String>, Series> ofMeter) {
        return switch (meter.kind()) {
            case COUNTER -> counter(meter, ofMeter);
            case GAUGE -> gauge(meter, ofMeter);
            case LATENCY -> histogram(meter, ofMeter);
        };
    }

    private static MetricSnapshot counter(MeterDefinition meter, Map<List<String>, Series> ofMeter) {
        // The exposition format appends the suffix of counters.
        String name = meter.id().substring(0, meter.id().length() - COUNTER_SUFFIX.length());
        CounterSnapshot.Builder builder = CounterSnapshot.builder().name(name).help(meter.doc());
        ofMeter.forEach((values, one) -> builder.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                .labels(Labels.of(names(meter), values))
                .value(one.value())
                .build()));
        return builder.build();
    }

    private static MetricSnapshot gauge(MeterDefinition meter, Map<List<String>, Series> ofMeter) {
        GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(meter.id()).help(meter.doc());
        ofMeter.forEach((values, one) -> builder.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                .labels(Labels.of(names(meter), values))
                .value(one.value())
                .build()));
        return builder.build();
    }

    private static MetricSnapshot histogram(MeterDefinition meter, Map<List<String>, Series> ofMeter) {
        HistogramSnapshot.Builder builder =
                HistogramSnapshot.builder().name(meter.id()).help(meter.doc());
        ofMeter.forEach((values, one) -> builder.dataPoint(HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .labels(Labels.of(names(meter), values))
                .classicHistogramBuckets(ClassicHistogramBuckets.of(UPPER_BOUNDS_SECONDS, one.latency.counts()))
                .sum(one.latency.totalNs() / NS_PER_SECOND)
                .build()));
        return builder.build();
    }

    private static List<String> names(MeterDefinition meter) {
        return meter.labels().stream().map(Label::name).toList();
    }

    private static double[] upperBoundsSeconds() {
        double[] bounds = new double[LatencyHistogram.BUCKETS];
        for (int i = 0; i < bounds.length - 1; i++) {
            bounds[i] = LatencyHistogram.upperBoundNs(i) / NS_PER_SECOND;
        }
        bounds[bounds.length - 1] = Double.POSITIVE_INFINITY;
        return bounds;
    }
}
