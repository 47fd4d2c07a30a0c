// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.List;
import java.util.Locale;

/** The definition of a meter. Catalogues of meters are enums that implement it. */
public interface MeterDefinition {
    /** The way in which a meter combines its values. */
    enum Kind {
        /** Only rises. */
        COUNTER,
        /** Rises and falls. */
        GAUGE,
        /** Histogram of durations, recorded in nanoseconds and exported in seconds. */
        LATENCY
    }

    /**
     * A meter without its name.
     *
     * @param prefix what the names of the catalogue's meters begin with
     * @param doc the help text: one or two sentences
     * @param labels in the order in which label values are passed
     */
    record Properties(String prefix, Kind kind, String doc, List<Label> labels) {}

    /** The constant, from which {@link #id} is made. */
    String name();

    Properties properties();

    default Kind kind() {
        return properties().kind();
    }

    default String doc() {
        return properties().doc();
    }

    default List<Label> labels() {
        return properties().labels();
    }

    /**
     * Name on {@code /metrics}: the prefix and the constant in lower case, with {@code _total} for counters and {@code
     * _seconds} for latencies.
     */
    default String id() {
        String suffix = switch (kind()) {
            case COUNTER -> "_total";
            case GAUGE -> "";
            case LATENCY -> "_seconds";
        };
        return properties().prefix() + name().toLowerCase(Locale.ROOT) + suffix;
    }

    /** Whether all series are known in advance. Such series are exported as 0 before anything happens. */
    default boolean isClosed() {
        return labels().stream().noneMatch(Label::isOpen);
    }
}
