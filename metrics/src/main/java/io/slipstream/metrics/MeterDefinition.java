// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.List;

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

    /** Name on {@code /metrics}. */
    String id();

    Kind kind();

    /** The help text: one or two sentences. */
    String doc();

    /** In the order in which label values are passed. */
    List<Label> labels();

    /** Whether all series are known in advance. Such series are exported as 0 before anything happens. */
    default boolean isClosed() {
        return labels().stream().noneMatch(Label::isOpen);
    }
}
