// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.List;

/** What a catalogue of meters, an enum, says of each of them. */
public interface MeterDefinition {
    /** What a meter does with the values given to it. */
    enum Kind {
        /** Only rises. */
        COUNTER,
        /** Rises and falls. */
        GAUGE,
        /** Histogram of durations; recorded in nanoseconds, exported in seconds. */
        LATENCY
    }

    /** Name on {@code /metrics}. */
    String id();

    Kind kind();

    /** One sentence. */
    String doc();

    /** In the order in which values are given. */
    List<Label> labels();

    /** Whether all its series are known beforehand, so that they are shown, as 0, before anything happened. */
    default boolean isClosed() {
        return labels().stream().noneMatch(Label::isOpen);
    }
}
