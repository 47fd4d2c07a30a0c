// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it;

import java.security.SecureRandom;

/** The seed of this run's random numbers: {@code -Dslipstream.seed=N} replays run N, else a new one. Printed once. */
public final class Seed {
    private static final long SEED = choose();

    private Seed() {}

    public static long ofRun() {
        return SEED;
    }

    private static long choose() {
        Long given = Long.getLong("slipstream.seed");
        long seed = given != null ? given : new SecureRandom().nextInt() & 0xffff_ffffL;
        System.out.println("seed " + seed + " (replay with -Dslipstream.seed=" + seed + ")");
        return seed;
    }
}
