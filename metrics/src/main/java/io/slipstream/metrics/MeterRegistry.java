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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where series are made and scraped. Making one takes a lock-free map look-up and belongs to set-up; what it returns is used on the data
 * path. Asking again for the same labels gives the same series. Thread-safe.
 */
public final class MeterRegistry implements AutoCloseable {
    /** Most series of one meter; more of them share one whose labels are all {@value #OTHER}. */
    public static final int MAX_SERIES = 256;

    static final String OTHER = "other";
    private static final Logger log = LoggerFactory.getLogger(MeterRegistry.class);

    private final Map<Meter, Map<List<String>, Series>> series;
    private final PrometheusMeterRegistry prometheus;
    private final JvmGcMetrics gcMetrics = new JvmGcMetrics();

    public MeterRegistry() {
        Map<Meter, Map<List<String>, Series>> byMeter = new EnumMap<>(Meter.class);
        for (Meter meter : Meter.values()) {
            byMeter.put(meter, new ConcurrentHashMap<>());
        }
        series = Collections.unmodifiableMap(byMeter);
        PrometheusRegistry exposition = new PrometheusRegistry();
        exposition.register(new SeriesCollector(series));
        prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, exposition, Clock.SYSTEM);
    }

    /** Adds the meters of the process itself: memory, garbage collection, threads, file descriptors, CPU. */
    public MeterRegistry withProcessMeters() {
        new JvmMemoryMetrics().bindTo(prometheus);
        new JvmThreadMetrics().bindTo(prometheus);
        new FileDescriptorMetrics().bindTo(prometheus);
        new ProcessorMetrics().bindTo(prometheus);
        new UptimeMetrics().bindTo(prometheus);
        gcMetrics.bindTo(prometheus);
        return this;
    }

    /** A series of a counter or gauge; {@code labelValues} in the order of {@link Meter#labels}. */
    public Count count(Meter meter, String... labelValues) {
        if (meter.kind() == Meter.Kind.LATENCY) {
            throw new IllegalArgumentException(meter + " is a latency");
        }
        return resolve(meter, labelValues).count;
    }

    /**
     * Adds a value that is read when scraped to a series: the series shows the sum of its {@link Count} and all of its suppliers.
     *
     * @return takes the supplier away again; what a counter's supplier gave last stays in the sum, so that it never falls
     */
    public Registration supply(LongSupplier supplier, Meter meter, String... labelValues) {
        if (meter.kind() == Meter.Kind.LATENCY) {
            throw new IllegalArgumentException(meter + " is a latency");
        }
        Series target = resolve(meter, labelValues);
        target.suppliers.add(supplier);
        return () -> {
            if (target.suppliers.remove(supplier) && meter.kind() == Meter.Kind.COUNTER) {
                target.count.add(supplier.getAsLong());
            }
        };
    }

    /** A series of a {@link Meter.Kind#LATENCY} meter. */
    public LatencyHistogram latency(Meter meter, String... labelValues) {
        if (meter.kind() != Meter.Kind.LATENCY) {
            throw new IllegalArgumentException(meter + " is no latency");
        }
        return resolve(meter, labelValues).latency;
    }

    /** The present value of a counter's or gauge's series; 0 if there is none. For tests and reports. */
    public long value(Meter meter, String... labelValues) {
        Series found = series.get(meter).get(Arrays.asList(labelValues));
        return found == null ? 0 : found.value();
    }

    /** All meters in Prometheus' text format. */
    public String scrape() {
        return prometheus.scrape();
    }

    private Series resolve(Meter meter, String... labelValues) {
        if (labelValues.length != meter.labels().size()) {
            throw new IllegalArgumentException(
                    meter + " takes labels " + meter.labels() + ", given " + Arrays.toString(labelValues));
        }
        Map<List<String>, Series> ofMeter = series.get(meter);
        List<String> key = List.of(labelValues);
        Series found = ofMeter.get(key);
        if (found != null) {
            return found;
        }
        if (ofMeter.size() >= MAX_SERIES) {
            log.warn("meter {} has {} series; {} is counted as '{}'", meter.id(), MAX_SERIES, key, OTHER);
            key = Collections.nCopies(labelValues.length, OTHER);
        }
        return ofMeter.computeIfAbsent(key, k -> new Series(meter.kind()));
    }

    @Override
    public void close() {
        gcMetrics.close();
        prometheus.close();
    }

    /** Undoes a {@link #supply}. Idempotent. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
