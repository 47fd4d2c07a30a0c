// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** One meter with one combination of label values. */
final class Series {
    /** Null for latencies. */
    final LongAdder count;

    /** Null for all but latencies. */
    final LatencyHistogram latency;

    final List<LongSupplier> suppliers = new CopyOnWriteArrayList<>();

    Series(MeterDefinition.Kind kind) {
        boolean isLatency = kind == MeterDefinition.Kind.LATENCY;
        count = isLatency ? null : new LongAdder();
        latency = isLatency ? new LatencyHistogram() : null;
    }

    long value() {
        long value = count.sum();
        for (LongSupplier supplier : suppliers) {
            value += supplier.getAsLong();
        }
        return value;
    }
}
