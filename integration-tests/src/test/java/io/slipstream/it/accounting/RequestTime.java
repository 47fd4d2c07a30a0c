// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.accounting;

import io.slipstream.harness.PluginCounts;

/** The share of its threads' time that a broker says a client had, by its own sensor. */
final class RequestTime {
    /** The sensor looks back as far; what it says sooner is of a shorter time. */
    private static final int FIRST_SAMPLES = 15;

    private final PluginCounts counts;
    private final String clientId;
    private int samples;
    private double percents;

    RequestTime(PluginCounts counts, String clientId) {
        this.counts = counts;
        this.clientId = clientId;
    }

    /** Once a second. */
    void sample() {
        if (++samples > FIRST_SAMPLES) {
            percents += counts.measure("Request,client-id=" + clientId, "request-time");
        }
    }

    /** On average. */
    double percent() {
        return percents / (samples - FIRST_SAMPLES);
    }
}
