// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/**
 * The results of one exchange over a fixed time. With several requests in flight, a request's time is from its send to
 * its answer.
 *
 * @param operations answered requests
 * @param recordBytes bytes of whole batches in requests or answers; 0 for workloads without bytes
 * @param elapsedNs measured time
 * @param latencies latencies of single requests, in nanoseconds
 */
record Measurement(long operations, long recordBytes, long elapsedNs, Histogram latencies) {
    private static final long LONGEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;

    double operationsPerSecond() {
        return operations * 1e9 / elapsedNs;
    }

    double medianUs() {
        return latencies.getValueAtPercentile(50) / 1e3;
    }

    double p99Us() {
        return latencies.getValueAtPercentile(99) / 1e3;
    }

    static Histogram newHistogram() {
        return new Histogram(LONGEST_NS, DIGITS);
    }

    /** Keeps {@code inFlight} requests outstanding for {@code durationNs}; all are answered on return. */
    static Measurement of(Exchange exchange, int inFlight, long durationNs) throws IOException {
        Histogram latencies = newHistogram();
        long[] sentNs = new long[inFlight];
        long recordBytes = exchange.recordBytes();
        long startNs = System.nanoTime();
        long endNs = startNs + durationNs;
        for (int slot = 0; slot < inFlight; slot++) {
            exchange.prepare(slot);
            sentNs[slot] = System.nanoTime();
            exchange.send(slot);
        }
        long operations = 0;
        int unanswered = inFlight;
        long nowNs = startNs;
        while (unanswered > 0) {
            int slot = exchange.receive();
            nowNs = System.nanoTime();
            latencies.recordValue(Math.min(LONGEST_NS, nowNs - sentNs[slot]));
            operations++;
            if (nowNs < endNs) {
                exchange.prepare(slot);
                sentNs[slot] = System.nanoTime();
                exchange.send(slot);
            } else {
                unanswered--;
            }
        }
        return new Measurement(operations, exchange.recordBytes() - recordBytes, nowNs - startNs, latencies);
    }
}
