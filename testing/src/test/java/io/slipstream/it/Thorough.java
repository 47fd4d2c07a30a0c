// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it;

import io.slipstream.process.BrokerLine;
import java.util.List;
import java.util.Random;

/**
 * {@code -Pthorough}: repetitions that are too slow for every build. A test that is one as a whole has the tag {@code
 * thorough}.
 */
public final class Thorough {
    private static final boolean ASKED = Boolean.getBoolean("slipstream.thorough");

    /** The time of the build's start, which is the same in all of its JVMs; null elsewhere, as in an IDE. */
    private static final String BUILD = System.getProperty("slipstream.build");

    private Thorough() {}

    public static boolean isAsked() {
        return ASKED;
    }

    /** Returns the newest line of brokers, or all. */
    public static List<BrokerLine> lines() {
        return ASKED ? List.of(BrokerLine.values()) : List.of(BrokerLine.NEWEST);
    }

    /** Returns one line of brokers, drawn by the seed of the run, or all: for what does not depend on the line. */
    public static List<BrokerLine> drawnLines() {
        return drawn(List.of(BrokerLine.values()));
    }

    /** Returns one of the variants, drawn by the seed of the run, or all. */
    public static <T> List<T> drawn(List<T> variants) {
        return ASKED ? variants : List.of(variants.get(new Random(Seed.ofRun()).nextInt(variants.size())));
    }

    /**
     * Returns whether the first of two tests of one kind runs: in every second build, by the time of its start, and
     * whenever it is named with {@code -Dit.test}. With {@code -Pthorough} both run.
     */
    public static boolean drawsFirst() {
        return draws(0);
    }

    /** Returns whether the second one runs. */
    public static boolean drawsSecond() {
        return draws(1);
    }

    private static boolean draws(int which) {
        return ASKED
                || BUILD == null
                || System.getProperty("it.test") != null
                || Math.floorMod(BUILD.hashCode(), 2) == which;
    }
}
