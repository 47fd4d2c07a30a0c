// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.Count;
import io.slipstream.metrics.LatencyHistogram;
import io.slipstream.metrics.MeterRegistry;

/** The resolved meters of one Kafka API on one path. */
final class ApiMeters {
    final Count requests;
    final Count records;
    final Count requestBytes;
    final Count responseBytes;
    final LatencyHistogram latency;

    ApiMeters(MeterRegistry registry, String api, String path) {
        requests = registry.count(Meter.REQUESTS, api, path);
        records = registry.count(Meter.RECORDS, api, path);
        requestBytes = registry.count(Meter.BYTES, api, path, "request");
        responseBytes = registry.count(Meter.BYTES, api, path, "response");
        latency = registry.latency(Meter.REQUEST_LATENCY, api, path);
    }
}
