// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.accounting;

import io.slipstream.harness.PluginCounts;

/** A client's share of request thread time, from the broker's own sensor. */
final class RequestTime {
    /** Samples until the sensor's window is full. */
    private static final int FIRST_SAMPLES = 15;

    private final PluginCounts counts;
    private final String clientId;
    private int samples;
    private double percents;

    RequestTime(PluginCounts counts, String clientId) {
        this.counts = counts;
        this.clientId = clientId;
    }

    /** Call once per second. */
    void sample() {
        if (++samples > FIRST_SAMPLES) {
            percents += counts.measure("Request,client-id=" + clientId, "request-time");
        }
    }

    /** Returns the average. */
    double percent() {
        return percents / (samples - FIRST_SAMPLES);
    }
}
