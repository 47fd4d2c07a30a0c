// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

/** How often loops go round: as written, or fewer times on a machine that is emulated and so a hundred times slower. */
public final class Rounds {
    /** Number by which the rounds of long loops are divided. */
    public static final String DIVISOR = "slipstream.contract.rounds.divisor";

    private Rounds() {}

    public static int of(int rounds) {
        return Math.max(10, rounds / Integer.getInteger(DIVISOR, 1));
    }
}
