package io.slipstream.bench.transport;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All rounds of one experiment. A ratio is formed within a round, from medians, so that what changes in the machine meanwhile hits both of its sides.
 *
 * @param ours by round
 * @param perftest by round; empty where there is no RDMA device to compare on
 */
record Comparison(Experiment experiment, List<Latency> ours, List<Latency> perftest) {
    /** Median of the rounds' values. */
    static double median(List<Latency> rounds, ToDoubleFunction<Latency> value) {
        return middle(rounds.stream().mapToDouble(value).sorted().toArray());
    }

    private static double middle(double[] sorted) {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    boolean isComplete() {
        return !perftest.isEmpty();
    }

    double ratio() {
        return middle(ratios());
    }

    double lowestRatio() {
        return ratios()[0];
    }

    double highestRatio() {
        double[] ratios = ratios();
        return ratios[ratios.length - 1];
    }

    private double[] ratios() {
        double[] ratios = new double[ours.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours.get(i).p50Us() / perftest.get(i).p50Us();
        }
        Arrays.sort(ratios);
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
