// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The time and other calls that woven code gets from the current world; see {@link Surroundings}. Without a world, it
 * uses those of the machine.
 */
public final class VirtualTime {
    private static World world;
    /** Runs devices between two stores of a CPU. */
    private static Runnable betweenStores;

    private VirtualTime() {}

    /** Makes this the current world; null for none. */
    static void enter(World entered, Runnable atStoreFence) {
        world = entered;
        betweenStores = atStoreFence;
    }

    static World world() {
        return world;
    }

    /** Replaces {@link System#nanoTime}. */
    public static long nanoTime() {
        World now = world;
        return now == null ? System.nanoTime() : now.tick();
    }

    /** Replaces {@link java.lang.invoke.VarHandle#storeStoreFence}: a device may copy the memory at this instant. */
    public static void storeStoreFence() {
        java.lang.invoke.VarHandle.storeStoreFence();
        if (betweenStores != null) {
            betweenStores.run();
        }
    }

    /** Replaces {@link java.lang.invoke.VarHandle#fullFence} in the same way. */
    public static void fullFence() {
        java.lang.invoke.VarHandle.fullFence();
        if (betweenStores != null) {
            betweenStores.run();
        }
    }

    /** Replaces {@link ThreadLocalRandom#nextLong(long, long)}, so that the seed decides. */
    public static long nextLong(ThreadLocalRandom random, long origin, long bound) {
        return world == null ? random.nextLong(origin, bound) : world.random.nextLong(origin, bound);
    }

    /** Replaces {@link CompletableFuture#orTimeout}, whose timer is a JDK thread. */
    public static <T> CompletableFuture<T> orTimeout(CompletableFuture<T> future, long timeout, TimeUnit unit) {
        World now = world;
        if (now == null) {
            return future.orTimeout(timeout, unit);
        }
        now.after(unit.toNanos(timeout), null, () -> future.completeExceptionally(new TimeoutException()));
        return future;
    }
}
