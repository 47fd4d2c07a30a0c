// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

/** The broker's own metrics registry, which holds only numbers. Thread-safe. */
public interface BrokerGauges {
    /** Shows the gauge in the broker's JMX and its reporters. */
    void add(BrokerGauge gauge);

    void remove(BrokerGauge gauge);
}
