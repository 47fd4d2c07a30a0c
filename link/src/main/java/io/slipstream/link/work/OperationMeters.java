// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.LatencyHistogram;
import io.slipstream.metrics.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** Meters of a link's operations; resolved once, recorded without allocation. */
public final class OperationMeters {
    final LatencyHistogram reads;
    final LatencyHistogram writes;
    /** Time from a request frame to its reply. */
    public final LatencyHistogram requests;

    public final LongAdder ringBytes;
    /** Requests that found no credit or no space. */
    public final LongAdder waited;
    /** Requests that waited in vain, or could not wait, and took TCP. */
    public final LongAdder fellBack;

    public OperationMeters(MeterRegistry registry) {
        reads = registry.latency(Meter.TRANSPORT_LATENCY, "read");
        writes = registry.latency(Meter.TRANSPORT_LATENCY, "write");
        requests = registry.latency(Meter.TRANSPORT_LATENCY, "request");
        ringBytes = registry.count(Meter.PRODUCE_BYTES);
        waited = registry.count(Meter.CREDITS_EXHAUSTED, "waited");
        fellBack = registry.count(Meter.CREDITS_EXHAUSTED, "fell_back");
    }
}
