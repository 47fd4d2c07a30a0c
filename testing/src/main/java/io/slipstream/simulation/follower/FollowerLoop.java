// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.follower;

import io.slipstream.replication.LeaderLoop;
import io.slipstream.simulation.Delays;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.VirtualLoop;
import io.slipstream.simulation.World;

/**
 * The loop of a link in a world. Its turns are events of the world, so no thread drives it while it waits. A wait only
 * notes what ends it; {@link #whenOver} continues the fetcher's thread in a later event.
 */
final class FollowerLoop implements LeaderLoop {
    private final World world;
    private final Host host;
    private final VirtualLoop loop;
    /** What the fetcher's thread waits for; null if it does not wait. */
    private Awaited awaited;

    private Runnable continuation;

    FollowerLoop(World world, Host host, VirtualLoop loop) {
        this.world = world;
        this.host = host;
        this.loop = loop;
        loop.afterTurn(this::look);
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public void await(Runnable task, Awaited event, long deadlineNs) {
        awaited = event;
        loop.execute(task);
        world.after(deadlineNs - world.nowNs(), host, () -> {
            if (awaited == event) {
                resume();
            }
        });
    }

    /** Continues the thread when what it waits for is over, or the time. */
    void whenOver(Runnable then) {
        continuation = then;
    }

    @Override
    public void wakeUp() {
        look();
    }

    private void look() {
        if (awaited != null && awaited.isOver()) {
            resume();
        }
    }

    private void resume() {
        awaited = null;
        world.after(Delays.threadTurn(world), host, () -> {
            Runnable next = continuation;
            continuation = null;
            next.run();
        });
    }
}
