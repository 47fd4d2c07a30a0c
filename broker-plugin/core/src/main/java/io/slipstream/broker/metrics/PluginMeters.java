// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.slipstream.metrics.LatencyHistogram;
import io.slipstream.metrics.MeterDefinition;
import io.slipstream.metrics.MeterDefinition.Kind;
import io.slipstream.metrics.MeterRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The plugin's measurements since its start. Any thread. Counting is one uncontended compare-and-swap and allocates
 * nothing.
 */
public final class PluginMeters {
    /** Returns the registry, which resolves series with labels and accepts suppliers of values. */
    public final MeterRegistry registry = new MeterRegistry(PluginMeter.values());
    /** Counts by ordinal of the meter; null for meters with labels and for latencies. */
    private final LongAdder[] counts = new LongAdder[PluginMeter.values().length];

    /** Times from taking a request to posting its answer. */
    public final LatencyHistogram commits = registry.latency(PluginMeter.COMMIT_LATENCY);
    /** Times that requests kept a handler thread in the broker. */
    public final LatencyHistogram handlings = registry.latency(PluginMeter.HANDLING_LATENCY);

    private final LongAdder fenced = registry.count(PluginMeter.FENCES, "done");
    private final LongAdder quarantined = registry.count(PluginMeter.FENCES, "quarantined");

    public PluginMeters() {
        for (PluginMeter meter : PluginMeter.values()) {
            if (isPlain(meter)) {
                counts[meter.ordinal()] = registry.count(meter);
            }
        }
        registry.supply(
                () -> get(PluginMeter.SESSIONS_BOUND) - get(PluginMeter.SESSIONS_ENDED), PluginMeter.SESSIONS_OPEN);
    }

    private static boolean isPlain(PluginMeter meter) {
        return meter.kind() != Kind.LATENCY && meter.labels().isEmpty();
    }

    /** Adds one to a meter without labels. */
    public void increment(PluginMeter meter) {
        counts[meter.ordinal()].increment();
    }

    /** Adds to a meter without labels. */
    public void add(PluginMeter meter, long value) {
        counts[meter.ordinal()].add(value);
    }

    /** Returns the value of a meter without labels. */
    public long get(PluginMeter meter) {
        return registry.value(meter);
    }

    /**
     * Counts the end of a region that a proxy could write to. {@code isDone} means that no write through it is possible
     * any more.
     */
    public void fenced(boolean isDone) {
        (isDone ? fenced : quarantined).increment();
    }

    /**
     * Shows all series in the broker's registry, each from its creation to its removal, until the result is closed. A
     * latency becomes its count, its sum and its 99th percentile since the start.
     */
    public MeterRegistry.Registration showIn(BrokerGauges gauges) {
        return registry.listen(new MeterRegistry.SeriesListener() {
            @Override
            public void onAdded(MeterDefinition meter, List<String> labelValues) {
                gauges((PluginMeter) meter, labelValues).forEach(gauges::add);
            }

            @Override
            public void onRemoved(MeterDefinition meter, List<String> labelValues) {
                gauges((PluginMeter) meter, labelValues).forEach(gauges::remove);
            }
        });
    }

    private List<BrokerGauges.Gauge> gauges(PluginMeter meter, List<String> labelValues) {
        String name = meter.jmxName();
        Map<String, String> tags = new LinkedHashMap<>();
        for (int i = 0; i < labelValues.size(); i++) {
            tags.put(meter.labels().get(i).name(), labelValues.get(i));
        }
        String[] labels = labelValues.toArray(String[]::new);
        if (meter.kind() != Kind.LATENCY) {
            return List.of(new BrokerGauges.Gauge(name, tags, () -> registry.value(meter, labels)));
        }
        LatencyHistogram latency = registry.latency(meter, labels);
        return List.of(
                new BrokerGauges.Gauge(name + "Count", tags, latency::count),
                new BrokerGauges.Gauge(name + "TotalUs", tags, () -> NANOSECONDS.toMicros(latency.totalNs())),
                new BrokerGauges.Gauge(name + "P99Us", tags, () -> NANOSECONDS.toMicros(latency.quantileNs(0.99))));
    }

    /** Returns all counters without labels by name, sorted. */
    public Map<String, Long> snapshot() {
        Map<String, Long> snapshot = new TreeMap<>();
        for (PluginMeter meter : PluginMeter.values()) {
            if (isPlain(meter) && meter.kind() == Kind.COUNTER) {
                snapshot.put(meter.name(), get(meter));
            }
        }
        return snapshot;
    }
}
