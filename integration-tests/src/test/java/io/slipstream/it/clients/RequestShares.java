// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.MetricSamples;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A proxy's requests by API and path between two readings of its meters. */
public record RequestShares(Map<String, Requests> byApi) {
    private static final String REQUESTS = "slipstream_requests_total";
    /** Requests on connections that are not bound yet, or never will be. */
    private static final Set<String> BEFORE_BINDING = Set.of("API_VERSIONS", "METADATA", "FIND_COORDINATOR");

    private record Requests(long byRdma, long byTcp) {
        @Override
        public String toString() {
            return byRdma + " of " + (byRdma + byTcp);
        }
    }

    public static RequestShares between(MetricSamples before, MetricSamples after) {
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
    public void assertByRdma(Collection<String> carried) {
        System.out.println("requests by RDMA: " + byApi);
        Set<String> bound = new TreeSet<>(byApi.keySet());
        bound.removeAll(BEFORE_BINDING);
        assertByRdma("behind the first requests", bound);
        assertByRdma("of " + carried, carried);
    }

    /** One request of a short run may end a fetch session, over TCP. */
    private void assertByRdma(String which, Collection<String> apis) {
        Requests sum = of(apis);
        assertThat(sum.byTcp)
                .as("requests by TCP %s: %s", which, byApi)
                .isLessThanOrEqualTo(Math.max(1, sum.byRdma / 100));
    }

    private Requests of(Collection<String> apis) {
        long byRdma = 0;
        long byTcp = 0;
        for (String api : apis) {
            Requests requests = byApi.get(api);
            if (requests == null) {
                throw new AssertionError("no request of " + api + " in " + byApi);
            }
            byRdma += requests.byRdma;
            byTcp += requests.byTcp;
        }
        return new Requests(byRdma, byTcp);
    }
}
