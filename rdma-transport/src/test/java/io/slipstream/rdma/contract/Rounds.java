// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

/** Number of rounds of long loops: as written, or fewer on an emulated machine, which is a hundred times slower. */
public final class Rounds {
    /** Number by which the rounds of long loops are divided. */
    public static final String DIVISOR = "slipstream.contract.rounds.divisor";

    private Rounds() {}

    public static int of(int rounds) {
        return Math.max(10, rounds / Integer.getInteger(DIVISOR, 1));
    }
}
