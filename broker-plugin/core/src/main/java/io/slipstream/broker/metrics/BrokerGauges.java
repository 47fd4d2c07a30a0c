// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import java.util.Map;
import java.util.function.LongSupplier;

/** The broker's own metrics registry, which holds only numbers. Thread-safe. */
public interface BrokerGauges {
    /** A series in the registry's form. Any thread may read its value. */
    record Gauge(String name, Map<String, String> tags, LongSupplier value) {}

    /** Shows the gauge in the broker's JMX and its reporters. */
    void add(Gauge gauge);

    void remove(Gauge gauge);
}
