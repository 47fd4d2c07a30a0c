// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import io.slipstream.containers.Cluster;
import io.slipstream.process.PathCounts;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The RDMA share of a scenario's records, by phase: before, during and after a fault. */
public final class ShareMeter {
    private final Cluster cluster;
    private final String scenario;
    private Map<String, PathCounts> last;

    /** Starts the first phase. */
    public ShareMeter(Cluster cluster, String scenario) {
        this.cluster = cluster;
        this.scenario = scenario;
        last = counts();
    }

    private Map<String, PathCounts> counts() {
        Map<String, PathCounts> counts = new TreeMap<>();
        Cluster.SIDECARS.forEach(sidecar -> counts.put(sidecar, cluster.counts(sidecar)));
        return counts;
    }

    /**
     * Ends a phase, prints its shares, and starts the next one. Excludes counts that a sidecar lost by a restart within
     * the phase.
     */
    public PathCounts phase(String name) {
        return sum(phaseBySidecar(name));
    }

    private static PathCounts sum(Map<String, PathCounts> counts) {
        return counts.values().stream().reduce(PathCounts.NONE, PathCounts::plus);
    }

    /** Likewise; returns the counts of each sidecar. */
    public Map<String, PathCounts> phaseBySidecar(String name) {
        Map<String, PathCounts> now = counts();
        Map<String, PathCounts> since = new TreeMap<>();
        now.forEach((sidecar, counts) -> since.put(sidecar, since(counts, last.get(sidecar))));
        last = now;
        PathCounts sum = sum(since);
        System.out.printf(
                Locale.ROOT,
                "%s, %s: %d records by RDMA, %d sent and %d received by TCP, share %.1f %%%n",
                scenario,
                name,
                sum.byRdma(),
                sum.tcpProduced(),
                sum.tcpFetched(),
                100 * sum.rdmaShare());
        return since;
    }

    private static PathCounts since(PathCounts now, PathCounts before) {
        PathCounts since = now.since(before);
        boolean restarted = since.rdmaProduced() < 0
                || since.rdmaFetched() < 0
                || since.tcpProduced() < 0
                || since.tcpFetched() < 0;
        return restarted ? now : since;
    }
}
