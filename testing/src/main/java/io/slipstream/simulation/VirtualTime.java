// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What the woven code sees of the present world; see {@link Surroundings}. Without a world, the machine's own. */
public final class VirtualTime {
    private static World world;
    /** What devices do between two stores of a processor. */
    private static Runnable betweenStores;

    private VirtualTime() {}

    /** Makes this the present world; null: none. */
    static void enter(World entered, Runnable atStoreFence) {
        world = entered;
        betweenStores = atStoreFence;
    }

    static World world() {
        return world;
    }

    /** In place of {@link System#nanoTime}. */
    public static long nanoTime() {
        World now = world;
        return now == null ? System.nanoTime() : now.tick();
    }

    /** In place of {@link java.lang.invoke.VarHandle#storeStoreFence}: a device may copy what stands in memory at this instant. */
    public static void storeStoreFence() {
        java.lang.invoke.VarHandle.storeStoreFence();
        if (betweenStores != null) {
            betweenStores.run();
        }
    }

    /** In place of {@link java.lang.invoke.VarHandle#fullFence}, likewise. */
    public static void fullFence() {
        java.lang.invoke.VarHandle.fullFence();
        if (betweenStores != null) {
            betweenStores.run();
        }
    }

    /** In place of {@link CompletableFuture#orTimeout}, whose timer is a thread of the JDK. */
    public static <T> CompletableFuture<T> orTimeout(CompletableFuture<T> future, long timeout, TimeUnit unit) {
        World now = world;
        if (now == null) {
            return future.orTimeout(timeout, unit);
        }
        now.after(unit.toNanos(timeout), null, () -> future.completeExceptionally(new TimeoutException()));
        return future;
    }
}
