// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.gate;

import java.util.Locale;

/**
 * One figure of a commit and its parent. Lower is better.
 *
 * @param figure workload and unit, for people
 * @param parent median of the parent's measurements
 * @param commit median of the commit's
 * @param ratio commit to parent
 */
public record Comparison(String figure, double parent, double commit, PairedRatio ratio) {
    /** A ratio up to this is no regression: two runs of one build differ by as much. */
    public static final double LIMIT = 1.10;

    /** Result of a comparison. */
    public enum Verdict {
        NOT_SLOWER,
        SLOWER,
        UNDECIDED;

        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** @param pairs the parent's and the commit's value of each round */
    public static Comparison of(String figure, double[][] pairs) {
        double[] parent = new double[pairs.length];
        double[] commit = new double[pairs.length];
        double[] ratios = new double[pairs.length];
        for (int i = 0; i < pairs.length; i++) {
            parent[i] = pairs[i][0];
            commit[i] = pairs[i][1];
            ratios[i] = commit[i] / parent[i];
        }
        return new Comparison(
                figure, PairedRatio.of(parent).median(), PairedRatio.of(commit).median(), PairedRatio.of(ratios));
    }

    /** The whole interval must lie beyond the limit, or within it. */
    public Verdict verdict() {
        if (ratio.lowest() > LIMIT) {
            return Verdict.SLOWER;
        }
        return ratio.highest() <= LIMIT ? Verdict.NOT_SLOWER : Verdict.UNDECIDED;
    }
}
