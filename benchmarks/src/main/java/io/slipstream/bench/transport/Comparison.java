// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import java.util.ArrayList;
import java.util.List;

/**
 * All rounds of one experiment. Ratios are formed from medians within a round, so that changes of the machine affect
 * both sides.
 *
 * @param ours latencies by round
 * @param perftest latencies by round; empty without an RDMA device
 */
record Comparison(Experiment experiment, List<Latency> ours, List<Latency> perftest) {
    boolean isComplete() {
        return !perftest.isEmpty();
    }

    /** Returns our latency relative to perftest's, by round. */
    double[] ratios() {
        double[] ratios = new double[ours.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours.get(i).p50Us() / perftest.get(i).p50Us();
        }
        return ratios;
    }

    static List<Comparison> none() {
        List<Comparison> none = new ArrayList<>();
        for (Experiment experiment : Experiment.values()) {
            none.add(new Comparison(experiment, new ArrayList<>(), new ArrayList<>()));
        }
        return none;
    }
}
