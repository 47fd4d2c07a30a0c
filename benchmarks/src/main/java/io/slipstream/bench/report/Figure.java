// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import java.util.Arrays;
import java.util.Locale;

/**
 * A number, with the lowest and highest value over the rounds if each round has one.
 *
 * @param lowest equal to {@code value}, as is {@code highest}, without a spread
 */
public record Figure(double value, double lowest, double highest) {
    public static Figure of(double value) {
        return new Figure(value, value, value);
    }

    /** Returns the median of the rounds' values; at least one value is required. */
    public static Figure ofRounds(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Figure(
                (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2,
                sorted[0],
                sorted[sorted.length - 1]);
    }

    /**
     * Returns the probability that the true median lies between lowest and highest: n independent values are not all on
     * the same side of it.
     */
    static double confidence(int rounds) {
        return 1 - Math.pow(2, 1 - rounds);
    }

    public boolean hasSpread() {
        return lowest < highest;
    }

    /** Returns the reciprocal, the speed-up: 2 for 0.5. */
    Figure inverse() {
        return new Figure(1 / value, 1 / highest, 1 / lowest);
    }

    String text(boolean percent) {
        double scale = percent ? 100 : 1;
        String unit = percent ? " %" : "";
        String main = number(value * scale) + unit;
        return hasSpread() ? main + " (" + number(lowest * scale) + " to " + number(highest * scale) + ')' : main;
    }

    /** Formats three significant digits, or all digits before the point. */
    static String number(double value) {
        double size = Math.abs(value);
        int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
