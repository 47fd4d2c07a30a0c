// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An event loop whose turns are events of a world: Netty's own queues and timers, driven manually. {@link
 * #inEventLoop()} reflects the simulated thread, so code that hands tasks over does so here as well.
 */
public final class VirtualLoop extends ManualIoEventLoop {
    private static final long NO_TIMER = -1;

    private final World world;
    private final Host host;
    private final List<SimulatedChannel> channels = new ArrayList<>();
    private boolean running;
    private boolean poked;
    private Runnable afterTurn = () -> {};
    private long timerAtNs = Long.MAX_VALUE;

    private VirtualLoop(World world, Host host, VirtualIo io) {
        super(null, Thread.currentThread(), executor -> io, new WorldTicker(world));
        this.world = world;
        this.host = host;
    }

    public static VirtualLoop of(World world, Host host) {
        VirtualIo io = new VirtualIo();
        VirtualLoop loop = new VirtualLoop(world, host, io);
        io.attach(loop::poke);
        return loop;
    }

    Host host() {
        return host;
    }

    World world() {
        return world;
    }

    @Override
    public boolean inEventLoop() {
        return running;
    }

    /** Schedules a turn soon because there is work. */
    void poke() {
        if (!poked) {
            poked = true;
            world.after(Delays.threadTurn(world), host, this::turn);
        }
    }

    private void turn() {
        poked = false;
        running = true;
        try {
            runNow();
        } finally {
            running = false;
        }
        afterTurn.run();
        long deadlineNs = nextScheduledTaskDeadlineNanos();
        if (deadlineNs != NO_TIMER && deadlineNs < timerAtNs) {
            timerAtNs = deadlineNs;
            world.after(deadlineNs - world.nowNs(), host, this::onTimer);
        }
    }

    private void onTimer() {
        timerAtNs = Long.MAX_VALUE;
        turn();
    }

    /** Runs the action after each turn, outside of the loop. */
    public void afterTurn(Runnable action) {
        afterTurn = action;
    }

    /** Registers a socket of this loop's process. */
    void opened(SimulatedChannel channel) {
        channels.add(channel);
    }

    /** Closes the sockets, on the loop. */
    public void closeChannels() {
        List.copyOf(channels).forEach(SimulatedChannel::close);
        channels.clear();
    }

    /** Ends the sockets of a dead process; peers learn of it later. */
    public void abandonChannels() {
        channels.forEach(SimulatedChannel::cut);
        channels.clear();
    }

    private record WorldTicker(World world) implements Ticker {
        @Override
        public long initialNanoTime() {
            return 0;
        }

        @Override
        public long nanoTime() {
            return world.nowNs();
        }

        @Override
        public void sleep(long delay, TimeUnit unit) {
            throw new UnsupportedOperationException("nothing sleeps in virtual time");
        }
    }
}
