// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The work in progress of one link, for metrics. The event loop writes it with plain stores whenever its completion
 * queue is empty.
 */
final class LinkGauges {
    private final AtomicInteger ringBytes = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final MeterRegistry.Registration ringBytesInUse;
    private final MeterRegistry.Registration transportInFlight;

    LinkGauges(MeterRegistry registry) {
        ringBytesInUse = registry.supply(ringBytes::get, Meter.RING_BYTES_IN_USE);
        transportInFlight = registry.supply(inFlight::get, Meter.TRANSPORT_IN_FLIGHT);
    }

    void update(int usedRingBytes, int outstandingWork) {
        ringBytes.lazySet(usedRingBytes);
        inFlight.lazySet(outstandingWork);
    }

    void close() {
        ringBytesInUse.close();
        transportInFlight.close();
    }
}
