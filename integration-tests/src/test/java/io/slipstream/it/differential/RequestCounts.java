// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.process.MetricSamples;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/** Requests by RDMA and by TCP of each API: one reading of the proxy's counters, or a difference. */
record RequestCounts(Map<Case.Api, Long> rdma, Map<Case.Api, Long> tcp) {
    static final RequestCounts NONE = new RequestCounts(Map.of(), Map.of());

    /** All 0 without a proxy or with RDMA off. */
    static RequestCounts read(Arm arm) {
        if (!arm.kind().byRdma()) {
            return NONE;
        }
        MetricSamples metrics = arm.proxy().metrics();
        return new RequestCounts(answered(metrics, "rdma"), answered(metrics, "tcp"));
    }

    private static Map<Case.Api, Long> answered(MetricSamples metrics, String path) {
        Map<Case.Api, Long> counts = new EnumMap<>(Case.Api.class);
        for (Case.Api api : Case.Api.values()) {
            counts.put(api, metrics.count("slipstream_requests_total", "api", api.label(), "path", path));
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
        Map<Case.Api, Long> both = new EnumMap<>(Case.Api.class);
        Map<Case.Api, Long> bothTcp = new EnumMap<>(Case.Api.class);
        for (Case.Api api : Case.Api.values()) {
            both.put(api, operator.applyAsLong(byRdma(api), other.byRdma(api)));
            bothTcp.put(api, operator.applyAsLong(byTcp(api), other.byTcp(api)));
        }
        return new RequestCounts(both, bothTcp);
    }

    long byRdma(Case.Api api) {
        return rdma.getOrDefault(api, 0L);
    }

    long byTcp(Case.Api api) {
        return tcp.getOrDefault(api, 0L);
    }
}
