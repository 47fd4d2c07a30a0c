// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

/** Random durations in nanoseconds: mostly short, sometimes long, because rare delays reveal reorderings. */
public final class Delays {
    private Delays() {}

    /** Delay until a thread with work runs. */
    public static long threadTurn(World world) {
        int kind = world.random(64);
        return kind == 0 ? world.random(300_000) : kind < 8 ? world.random(20_000) : world.random(1_500);
    }

    /** One-way delay between two devices. */
    public static long wire(World world) {
        int kind = world.random(128);
        return kind == 0 ? world.random(200_000) : 500 + world.random(kind < 16 ? 10_000 : 1_500);
    }

    /** One-way delay through a socket. */
    static long socket(World world) {
        return world.random(64) == 0 ? world.random(1_000_000) : 5_000 + world.random(20_000);
    }

    /** One-way delay of a Kafka connection within a host or a rack. */
    public static long local(World world) {
        return 10_000 + wire(world);
    }
}
