// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it;

import io.slipstream.process.BrokerLine;
import java.util.List;

/**
 * {@code -Pthorough}: repetitions that are too slow for every build. A test that is one as a whole has the tag {@code
 * thorough}.
 */
public final class Thorough {
    private static final boolean ASKED = Boolean.getBoolean("slipstream.thorough");

    private Thorough() {}

    public static boolean isAsked() {
        return ASKED;
    }

    /** Returns the newest line of brokers, or all. */
    public static List<BrokerLine> lines() {
        return ASKED ? List.of(BrokerLine.values()) : List.of(BrokerLine.NEWEST);
    }
}
