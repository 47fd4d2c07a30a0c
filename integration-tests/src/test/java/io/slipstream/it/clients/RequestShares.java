// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.MetricSamples;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** A proxy's requests by API and path between two readings of its meters. */
record RequestShares(Map<String, Requests> byApi) {
    private static final String REQUESTS = "slipstream_requests_total";
    /** The rest makes connections, finds brokers and joins the group. */
    private static final double LEAST_OF_ALL = 0.95;

    private static final double LEAST_OF_CARRIED = 0.99;

    private record Requests(long byRdma, long byTcp) {
        @Override
        public String toString() {
            return byRdma + " of " + (byRdma + byTcp);
        }
    }

    static RequestShares between(MetricSamples before, MetricSamples after) {
        Map<String, Requests> byApi = new TreeMap<>();
        for (MetricSamples.Sample sample : after.all()) {
            if (sample.name().equals(REQUESTS)) {
                String api = sample.labels().get("api");
                byApi.put(api, new Requests(increase(before, after, api, "rdma"), increase(before, after, api, "tcp")));
            }
        }
        return new RequestShares(byApi);
    }

    private static long increase(MetricSamples before, MetricSamples after, String api, String path) {
        return after.count(REQUESTS, "api", api, "path", path) - before.count(REQUESTS, "api", api, "path", path);
    }

    /** @param carried APIs that RDMA carries, of which each must have been used */
    void assertByRdma(Collection<String> carried) {
        System.out.println("requests by RDMA: " + byApi);
        assertThat(of(byApi.keySet())).as("share of all requests: %s", byApi).isGreaterThanOrEqualTo(LEAST_OF_ALL);
        assertThat(of(carried)).as("share of %s: %s", carried, byApi).isGreaterThanOrEqualTo(LEAST_OF_CARRIED);
    }

    /** Returns the share by RDMA, from 0 to 1. */
    private double of(Collection<String> apis) {
        double byRdma = 0;
        double all = 0;
        for (String api : apis) {
            Requests requests = byApi.get(api);
            if (requests == null) {
                throw new AssertionError("no request of " + api + " in " + byApi);
            }
            byRdma += requests.byRdma;
            all += requests.byRdma + requests.byTcp;
        }
        return byRdma / all;
    }
}
