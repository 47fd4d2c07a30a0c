// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import java.util.ArrayList;
import java.util.List;

/**
 * All rounds of one experiment. A ratio is formed within a round, from medians, so that what changes in the machine meanwhile hits both of its sides.
 *
 * @param ours by round
 * @param perftest by round; empty where there is no RDMA device to compare on
 */
record Comparison(Experiment experiment, List<Latency> ours, List<Latency> perftest) {
    boolean isComplete() {
        return !perftest.isEmpty();
    }

    /** Ours to perftest's, by round. */
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
