// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.time.Duration;

/**
 * Deadlines of processes and tests, stretched where the machine is slow: an emulated one runs a JVM's start some fourteen times slower.
 * {@code SLIPSTREAM_PATIENCE=N} in the environment multiplies them all by N.
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

    /** For settings in milliseconds. */
    public static int ms(int usual) {
        return Math.multiplyExact(usual, FACTOR);
    }

    /** 1 if nothing is set; throws IllegalArgumentException that names the variable if it is no number from 1 to 100. */
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
            // Said below.
        }
        throw new IllegalArgumentException("SLIPSTREAM_PATIENCE=" + text + " is not a whole number from 1 to 100");
    }
}
