// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.faults.Relay;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.ProxyProcess;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * One path to the brokers.
 *
 * @param bootstrap bootstrap address for clients
 * @param brokers brokers by ascending node id
 * @param proxy the proxy on that path; null in the direct arm
 * @param control relay between that proxy and the plugin of the first broker; null if RDMA is off
 */
record Arm(ArmKind kind, String bootstrap, List<BrokerProcess> brokers, ProxyProcess proxy, Relay control) {
    BrokerProcess broker() {
        return brokers.get(0);
    }

    /**
     * Returns the requests of that API that the proxy has answered by that path ({@code rdma} or {@code tcp}) since its
     * start.
     */
    long requests(ApiKeys api, String path) {
        MetricSamples metrics = proxy.metrics();
        return metrics.count("slipstream_requests_total", "api", api.name(), "path", path);
    }

    /** Returns the fallbacks for that reason so far; 0 if RDMA is off. */
    long fallbacks(String reason) {
        return kind.byRdma() ? proxy.metrics().count("slipstream_fallbacks_total", "reason", reason) : 0;
    }

    /** Switches RDMA on or off at run time; does nothing in arms without it. */
    void switchRdma(boolean enabled) {
        if (kind.byRdma()) {
            proxy.switchRdma(enabled);
        }
    }

    /** Cuts the control connections, on which queue pairs depend, and returns their number; 0 in arms without them. */
    int loseLinks() {
        return control == null ? 0 : control.cut();
    }

    /** Returns the fallbacks by reason, for messages. */
    String fallbacks() {
        StringBuilder text = new StringBuilder();
        for (MetricSamples.Sample sample : proxy.metrics().all()) {
            if (sample.name().equals("slipstream_fallbacks_total") && sample.value() > 0) {
                text.append(' ')
                        .append(sample.labels().get("reason"))
                        .append('=')
                        .append((long) sample.value());
            }
        }
        return text.toString();
    }

    /** Returns the ends of its processes' logs, for messages. */
    String logTails() {
        return (proxy == null ? "" : proxy.logTail()) + broker().logTail();
    }
}
