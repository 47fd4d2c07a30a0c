// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.faults.Relay;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.ProxyProcess;
import java.util.List;

/**
 * One way to the brokers.
 *
 * @param bootstrap address that a client would be configured with
 * @param brokers by ascending node id
 * @param proxy the proxy on that way; null in the direct arm
 * @param control stands between that proxy and the plugin of the first broker; null where RDMA is off
 */
record Arm(ArmKind kind, String bootstrap, List<BrokerProcess> brokers, ProxyProcess proxy, Relay control) {
    BrokerProcess broker() {
        return brokers.get(0);
    }

    /** How many requests of that API the proxy has answered by that path ({@code rdma} or {@code tcp}) since it started. */
    long requests(Case.Api api, String path) {
        MetricSamples metrics = proxy.metrics();
        return metrics.count("slipstream_requests_total", "api", api.label(), "path", path);
    }

    /** Requests that fell back for that reason so far; 0 where RDMA is off. */
    long fallbacks(String reason) {
        return kind.byRdma() ? proxy.metrics().count("slipstream_fallbacks_total", "reason", reason) : 0;
    }

    /** Turns RDMA on or off under way; nothing where there is none. */
    void switchRdma(boolean enabled) {
        if (kind.byRdma()) {
            proxy.switchRdma(enabled);
        }
    }

    /** Cuts the connections by which queue pairs live; nothing where there are none. Returns how many there were. */
    int loseLinks() {
        return control == null ? 0 : control.cut();
    }

    /** Fallbacks by reason so far, for messages. */
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

    /** Of its processes, for messages. */
    String logTails() {
        return (proxy == null ? "" : proxy.logTail()) + broker().logTail();
    }
}
