// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.gate;

import java.util.Arrays;

/**
 * The median of the ratios of paired measurements, with its confidence interval. The interval is that of the sign test:
 * it needs no assumption on the distribution, and one pair that a disturbance has spoiled does not move it far.
 *
 * @param lowest 0 if there are too few pairs for an interval
 * @param highest infinite if there are too few pairs
 */
public record PairedRatio(double median, double lowest, double highest) {
    /** Probability that the interval contains the true median. */
    static final double CONFIDENCE = 0.99;

    /** @param ratios at least one, each of two measurements made one after the other */
    public static PairedRatio of(double[] ratios) {
        double[] sorted = ratios.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
        int cut = cut(n);
        return cut == 0
                ? new PairedRatio(median, 0, Double.POSITIVE_INFINITY)
                : new PairedRatio(median, sorted[cut - 1], sorted[n - cut]);
    }

    /** Returns the rank from either end at which the interval ends; 0 if even the extremes are not certain enough. */
    static int cut(int n) {
        double tail = 0;
        double binomial = Math.pow(0.5, n);
        int cut = 0;
        while (2 * (tail + binomial) <= 1 - CONFIDENCE) {
            tail += binomial;
            binomial *= (double) (n - cut) / (cut + 1);
            cut++;
        }
        return cut;
    }
}
