// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.LatencyHistogram;
import io.slipstream.metrics.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** The resolved meters of one Kafka API on one path. */
record ApiMeters(
        LongAdder requests,
        LongAdder records,
        LongAdder requestBytes,
        LongAdder responseBytes,
        LatencyHistogram latency) {
    ApiMeters(MeterRegistry registry, String api, String path) {
        this(
                registry.count(Meter.REQUESTS, api, path),
                registry.count(Meter.RECORDS, api, path),
                registry.count(Meter.BYTES, api, path, "request"),
                registry.count(Meter.BYTES, api, path, "response"),
                registry.latency(Meter.REQUEST_LATENCY, api, path));
    }
}
