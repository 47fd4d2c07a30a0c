// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.time.Duration;

/**
 * Scales the deadlines of processes and tests on slow machines. An emulated machine starts a JVM about fourteen times
 * slower. The environment variable {@code SLIPSTREAM_PATIENCE=N} multiplies every deadline by N.
 */
public final class Patience {
    private static final int FACTOR = factor(System.getenv("SLIPSTREAM_PATIENCE"));

    private Patience() {}

    public static Duration of(Duration usual) {
        return usual.multipliedBy(FACTOR);
    }

    public static Duration ofSeconds(int usual) {
        return of(Duration.ofSeconds(usual));
    }

    /** Scales a setting in milliseconds. */
    public static int ms(int usual) {
        return Math.multiplyExact(usual, FACTOR);
    }

    /**
     * Returns the factor, 1 if {@code text} is unset.
     *
     * @throws IllegalArgumentException that names the variable, unless the text is a number from 1 to 100
     */
    static int factor(String text) {
        if (text == null || text.isBlank()) {
            return 1;
        }
        try {
            int factor = Integer.parseInt(text.trim());
            if (factor >= 1 && factor <= 100) {
                return factor;
            }
        } catch (NumberFormatException notANumber) {
            // Reported below.
        }
        throw new IllegalArgumentException("SLIPSTREAM_PATIENCE=" + text + " is not a whole number from 1 to 100");
    }
}
