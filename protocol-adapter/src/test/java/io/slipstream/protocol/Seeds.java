// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol;

import java.util.Random;

/** Seeds of randomised tests: printed, and set by {@code -Dslipstream.seed=N}. */
public final class Seeds {
    private Seeds() {}

    public static Random random(String test) {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println(test + ": -Dslipstream.seed=" + seed);
        return new Random(seed);
    }
}
