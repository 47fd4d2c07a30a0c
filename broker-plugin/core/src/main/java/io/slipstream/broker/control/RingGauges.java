// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.ring.RingUse;
import io.slipstream.metrics.MeterRegistry;
import java.util.List;

/** Adds the values of one attached link to the gauges of all links. */
final class RingGauges {
    private final List<MeterRegistry.Registration> registrations;

    RingGauges(MeterRegistry registry, RingUse use, int credits, int ringBytes, int slots) {
        registrations = List.of(
                registry.supply(() -> credits, PluginMeter.CREDITS),
                registry.supply(use::requests, PluginMeter.CREDITS_IN_USE),
                registry.supply(use::waiting, PluginMeter.REQUESTS_WAITING),
                registry.supply(() -> ringBytes, PluginMeter.RING_BYTES),
                registry.supply(use::bytes, PluginMeter.RING_BYTES_IN_USE),
                registry.supply(() -> slots, PluginMeter.SLOTS));
    }

    void close() {
        registrations.forEach(MeterRegistry.Registration::close);
    }
}
