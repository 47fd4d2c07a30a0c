// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

/** Quantiles of the difference between two histograms with the same buckets. Immutable. */
final class Quantiles {
    private static final double NS_PER_US = 1000;

    private final long[] boundsNs;

    Quantiles(long[] boundsNs) {
        this.boundsNs = boundsNs;
    }

    /** @param before bucket, count, bucket, count, …; the same for {@code after} */
    Counts between(long[] before, long[] after) {
        long[] counts = new long[boundsNs.length];
        add(counts, after, 1);
        add(counts, before, -1);
        return new Counts(counts);
    }

    private static void add(long[] counts, long[] pairs, int sign) {
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            if (pairs[i] >= 0 && pairs[i] < counts.length) {
                counts[(int) pairs[i]] += sign * pairs[i + 1];
            }
        }
    }

    final class Counts {
        private final long[] counts;
        private final long total;

        private Counts(long[] counts) {
            this.counts = counts;
            long sum = 0;
            for (long count : counts) {
                sum += Math.max(0, count);
            }
            total = sum;
        }

        /**
         * Returns the upper bound in µs of the quantile's bucket. The last bucket has no upper bound; for it the lower
         * bound is returned. Returns -1 if the count is 0.
         */
        double us(double quantile) {
            if (total == 0) {
                return -1;
            }
            long rank = Math.max(1, (long) Math.ceil(quantile * total));
            long seen = 0;
            int bucket = 0;
            for (; bucket < counts.length - 1; bucket++) {
                seen += Math.max(0, counts[bucket]);
                if (seen >= rank) {
                    break;
                }
            }
            boolean last = bucket == counts.length - 1;
            return boundsNs[last && bucket > 0 ? bucket - 1 : bucket] / NS_PER_US;
        }
    }
}
