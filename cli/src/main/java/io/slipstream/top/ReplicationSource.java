// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import io.slipstream.process.MetricSamples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Watches the replication of brokers by the {@code /metrics} pages of their plugins. */
final class ReplicationSource implements ViewSource {
    private final List<HttpPage> pages;
    private Map<String, MetricSamples> last = Map.of();
    private long lastNs;

    /** @throws IllegalArgumentException if a text is not the URL of a port */
    ReplicationSource(List<String> brokerUrls) {
        pages = brokerUrls.stream()
                .map(url -> HttpPage.at(
                        url,
                        "/metrics",
                        "a broker with Slipstream's plugin",
                        "metrics port (--brokers, slipstream.metrics.address)"))
                .toList();
    }

    /** A broker that does not answer has no samples. Throws the last failure if none answers. */
    @Override
    public ReplicationView next() throws IOException {
        Map<String, MetricSamples> now = new LinkedHashMap<>();
        IOException failure = null;
        for (HttpPage page : pages) {
            MetricSamples samples = null;
            try {
                samples = samples(page);
            } catch (IOException e) {
                failure = e;
            }
            now.put(page.address(), samples);
        }
        if (failure != null && now.values().stream().allMatch(each -> each == null)) {
            throw failure;
        }
        Map<String, MetricSamples> before = last;
        double seconds = (System.nanoTime() - lastNs) / 1e9;
        last = now;
        lastNs = System.nanoTime();
        return before.isEmpty() ? null : ReplicationView.between(before, now, seconds);
    }

    private static MetricSamples samples(HttpPage page) throws IOException {
        byte[] body = page.get();
        try {
            MetricSamples samples = MetricSamples.parse(new String(body, StandardCharsets.UTF_8));
            if (samples.has(ReplicationView.METER + "serving")) {
                return samples;
            }
            throw new IllegalArgumentException("no meters of a plugin");
        } catch (IllegalArgumentException e) {
            throw page.notOurs(e);
        }
    }
}
