// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

/**
 * Fisher's exact test for two counts, one-sided: the probability of at least so many hits in the judged group, if both
 * groups had the same rate.
 */
public final class FisherExact {
    /** A probability below is a difference, not chance. */
    public static final double LEVEL = 0.01;

    private FisherExact() {}

    public static double pValue(long judgedHits, long judged, long controlHits, long control) {
        if (judgedHits > judged || controlHits > control || judgedHits < 0 || controlHits < 0) {
            throw new IllegalArgumentException(
                    judgedHits + " of " + judged + " and " + controlHits + " of " + control + " are no counts");
        }
        long hits = judgedHits + controlHits;
        double sum = 0;
        for (long more = judgedHits; more <= Math.min(hits, judged); more++) {
            if (hits - more <= control) {
                sum += Math.exp(
                        logChoose(judged, more) + logChoose(control, hits - more) - logChoose(judged + control, hits));
            }
        }
        return Math.min(1, sum);
    }

    private static double logChoose(long n, long k) {
        double sum = 0;
        for (long i = 1; i <= k; i++) {
            sum += Math.log(n - k + i) - Math.log(i);
        }
        return sum;
    }
}
