// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates and exports series. Creating one takes a lock and belongs to set-up, as does finding one; the data path uses
 * the returned object. A second call with the same labels returns the same series. Thread-safe.
 */
public final class MeterRegistry implements AutoCloseable {
    /** Maximum number of series of one meter. Further ones share a series whose labels are all {@value #OTHER}. */
    public static final int MAX_SERIES = 256;

    static final String OTHER = "other";
    private static final Logger log = LoggerFactory.getLogger(MeterRegistry.class);

    private final Map<MeterDefinition, Map<List<String>, Series>> series;
    /** Created on first use, because recording works without it. */
    private PrometheusMeterRegistry prometheus;

    private JvmGcMetrics gcMetrics;
    /** Null for none; guarded by this. */
    private SeriesListener listener;

    /** A registry of the meters of a catalogue. Series whose label values are all known exist from the start, as 0. */
    public MeterRegistry(MeterDefinition... catalogue) {
        Map<MeterDefinition, Map<List<String>, Series>> byMeter = new LinkedHashMap<>();
        for (MeterDefinition meter : catalogue) {
            Map<List<String>, Series> ofMeter = new ConcurrentHashMap<>();
            if (meter.isClosed()) {
                combinations(meter.labels()).forEach(values -> ofMeter.put(values, new Series(meter.kind())));
            }
            byMeter.put(meter, ofMeter);
        }
        series = Collections.unmodifiableMap(byMeter);
    }

    private synchronized PrometheusMeterRegistry prometheus() {
        if (prometheus == null) {
            PrometheusRegistry exposition = new PrometheusRegistry();
            exposition.register(new SeriesCollector(series));
            prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, exposition, Clock.SYSTEM);
        }
        return prometheus;
    }

    private static List<List<String>> combinations(List<Label> labels) {
        List<List<String>> combinations = List.of(List.of());
        for (Label label : labels) {
            combinations = combinations.stream()
                    .flatMap(shorter -> label.values().stream()
                            .map(value -> Stream.concat(shorter.stream(), Stream.of(value))
                                    .toList()))
                    .toList();
        }
        return combinations;
    }

    /** Adds the meters of the process itself: memory, garbage collection, threads, file descriptors, CPU. */
    public synchronized MeterRegistry withProcessMeters() {
        gcMetrics = new JvmGcMetrics();
        PrometheusMeterRegistry target = prometheus();
        new JvmMemoryMetrics().bindTo(target);
        new JvmThreadMetrics().bindTo(target);
        new FileDescriptorMetrics().bindTo(target);
        new ProcessorMetrics().bindTo(target);
        new UptimeMetrics().bindTo(target);
        gcMetrics.bindTo(target);
        return this;
    }

    /**
     * A series of a counter or gauge. Pass {@code labelValues} in the order of {@link MeterDefinition#labels}. Resolve
     * it once, keep it in a field, and use it from any thread. An add is one uncontended compare-and-swap on a cell of
     * its own and allocates nothing. Only gauges may fall.
     */
    public LongAdder count(MeterDefinition meter, String... labelValues) {
        return resolve(meter, false, labelValues).count;
    }

    /**
     * Adds a supplier to a series. A scrape exports the sum of the series' {@link LongAdder} and all its suppliers.
     *
     * @return removes the supplier. A counter keeps the supplier's last value in its sum, so that it never falls
     */
    public Registration supply(LongSupplier supplier, MeterDefinition meter, String... labelValues) {
        Series target = resolve(meter, false, labelValues);
        target.suppliers.add(supplier);
        return () -> {
            if (target.suppliers.remove(supplier) && meter.kind() == MeterDefinition.Kind.COUNTER) {
                target.count.add(supplier.getAsLong());
            }
        };
    }

    /** A series of a {@link MeterDefinition.Kind#LATENCY} meter. */
    public LatencyHistogram latency(MeterDefinition meter, String... labelValues) {
        return resolve(meter, true, labelValues).latency;
    }

    /** The present value of a counter's or gauge's series; 0 if there is none. For tests and reports. */
    public long value(MeterDefinition meter, String... labelValues) {
        Series found = series.get(meter).get(Arrays.asList(labelValues));
        return found == null ? 0 : found.value();
    }

    /** The label values of each existing series of a meter. */
    public List<List<String>> seriesOf(MeterDefinition meter) {
        return List.copyOf(series.get(meter).keySet());
    }

    /** All meters in the Prometheus text format. */
    public String scrape() {
        return prometheus().scrape();
    }

    /** Ends a series: it is exported no more, and what its holders still count is lost. Nothing happens without it. */
    public synchronized void remove(MeterDefinition meter, String... labelValues) {
        List<String> key = List.of(labelValues);
        if (series.get(meter).remove(key) != null && listener != null) {
            listener.onRemoved(meter, key);
        }
    }

    /**
     * Tells of all present series, and of each that comes or goes. There is one listener at a time.
     *
     * @return ends this, and tells that all series are gone
     */
    public synchronized Registration listen(SeriesListener next) {
        listener = next;
        series.forEach((meter, ofMeter) -> ofMeter.keySet().forEach(key -> next.onAdded(meter, key)));
        return () -> unlisten(next);
    }

    private synchronized void unlisten(SeriesListener last) {
        if (listener == last) {
            listener = null;
            series.forEach((meter, ofMeter) -> ofMeter.keySet().forEach(key -> last.onRemoved(meter, key)));
        }
    }

    private Series resolve(MeterDefinition meter, boolean asLatency, String... labelValues) {
        if (asLatency != (meter.kind() == MeterDefinition.Kind.LATENCY)) {
            throw new IllegalArgumentException(meter + " is " + (asLatency ? "no" : "a") + " latency");
        }
        if (labelValues.length != meter.labels().size()) {
            throw new IllegalArgumentException(meter + " takes labels "
                    + meter.labels().stream().map(Label::name).toList() + ", given " + Arrays.toString(labelValues));
        }
        Map<List<String>, Series> ofMeter = series.get(meter);
        List<String> key = List.of(labelValues);
        Series found = ofMeter.get(key);
        return found != null ? found : create(meter, ofMeter, key);
    }

    private synchronized Series create(MeterDefinition meter, Map<List<String>, Series> ofMeter, List<String> wanted) {
        List<String> key = wanted;
        if (ofMeter.size() >= MAX_SERIES && !ofMeter.containsKey(key)) {
            log.warn("meter {} has {} series; {} is counted as '{}'", meter.id(), MAX_SERIES, key, OTHER);
            key = Collections.nCopies(wanted.size(), OTHER);
        }
        Series present = ofMeter.get(key);
        if (present != null) {
            return present;
        }
        Series created = new Series(meter.kind());
        ofMeter.put(key, created);
        if (listener != null) {
            listener.onAdded(meter, key);
        }
        return created;
    }

    @Override
    public synchronized void close() {
        if (gcMetrics != null) {
            gcMetrics.close();
        }
        prometheus().close();
    }

    /** Called by the thread that adds or removes a series, one at a time. Must not block and must not throw. */
    public interface SeriesListener {
        void onAdded(MeterDefinition meter, List<String> labelValues);

        void onRemoved(MeterDefinition meter, List<String> labelValues);
    }

    /** Ends what {@link #supply} or {@link #listen} began. Idempotent. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
