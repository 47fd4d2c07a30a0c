// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

/** How long things take, in nanoseconds: mostly little, now and then much, since reorderings hide in what is rare. */
public final class Delays {
    private Delays() {}

    /** Until a thread that has something to do gets to it. */
    public static long threadTurn(World world) {
        int kind = world.random(64);
        return kind == 0 ? world.random(300_000) : kind < 8 ? world.random(20_000) : world.random(1_500);
    }

    /** One way between two devices. */
    public static long wire(World world) {
        int kind = world.random(128);
        return kind == 0 ? world.random(200_000) : 500 + world.random(kind < 16 ? 10_000 : 1_500);
    }

    /** One way through a socket. */
    static long socket(World world) {
        return world.random(64) == 0 ? world.random(1_000_000) : 5_000 + world.random(20_000);
    }
}
