package io.slipstream.it.differential;

import io.slipstream.harness.MetricSamples;
import io.slipstream.harness.ProxyProcess;

/**
 * One way to the broker.
 *
 * @param bootstrap address that a client would be configured with
 * @param proxy the proxy on that way; null in the direct arm
 */
record Arm(ArmKind kind, String bootstrap, ProxyProcess proxy) {
    /** How many requests of that API the proxy has answered by that path ({@code rdma} or {@code tcp}) since it started. */
    long requests(Case.Api api, String path) {
        MetricSamples metrics = proxy.metrics();
        return metrics.count("slipstream_requests_total", "api", api.label(), "path", path);
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
}
