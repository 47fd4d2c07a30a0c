// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.process.MetricSamples;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import org.apache.kafka.common.protocol.ApiKeys;

/** Requests by RDMA and by TCP of each API: one reading of the proxy's counters, or a difference. */
record RequestCounts(Map<ApiKeys, Long> rdma, Map<ApiKeys, Long> tcp) {
    static final RequestCounts NONE = new RequestCounts(Map.of(), Map.of());

    /** All 0 without a proxy or with RDMA off. */
    static RequestCounts read(Arm arm) {
        if (!arm.kind().byRdma()) {
            return NONE;
        }
        MetricSamples metrics = arm.proxy().metrics();
        return new RequestCounts(answered(metrics, "rdma"), answered(metrics, "tcp"));
    }

    private static Map<ApiKeys, Long> answered(MetricSamples metrics, String path) {
        Map<ApiKeys, Long> counts = new EnumMap<>(ApiKeys.class);
        for (ApiKeys api : ApiKeys.values()) {
            counts.put(api, metrics.count("slipstream_requests_total", "api", api.name(), "path", path));
        }
        return counts;
    }

    RequestCounts plus(RequestCounts other) {
        return with(other, Long::sum);
    }

    RequestCounts minus(RequestCounts other) {
        return with(other, (a, b) -> a - b);
    }

    private RequestCounts with(RequestCounts other, LongBinaryOperator operator) {
        Map<ApiKeys, Long> both = new EnumMap<>(ApiKeys.class);
        Map<ApiKeys, Long> bothTcp = new EnumMap<>(ApiKeys.class);
        for (ApiKeys api : ApiKeys.values()) {
            both.put(api, operator.applyAsLong(byRdma(api), other.byRdma(api)));
            bothTcp.put(api, operator.applyAsLong(byTcp(api), other.byTcp(api)));
        }
        return new RequestCounts(both, bothTcp);
    }

    long byRdma(ApiKeys api) {
        return rdma.getOrDefault(api, 0L);
    }

    long byTcp(ApiKeys api) {
        return tcp.getOrDefault(api, 0L);
    }
}
