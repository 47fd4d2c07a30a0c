// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A thread of a host that runs tasks in order, each as an event of the world. It extends a JDK executor because the
 * woven code expects one; it never starts a thread.
 */
public final class VirtualThread extends ScheduledThreadPoolExecutor {
    private final World world;
    private final Host host;
    private long busyUntilNs;
    private boolean ended;

    VirtualThread(World world, Host host) {
        super(0);
        this.world = world;
        this.host = host;
    }

    public static VirtualThread of(World world, Host host) {
        return new VirtualThread(world, host);
    }

    /** Replaces the plugin's daemon threads; see {@link Surroundings}. */
    public static ScheduledThreadPoolExecutor daemon(String name) {
        if (VirtualTime.world() != null) {
            return new VirtualThread(VirtualTime.world(), Simulation.startingHost());
        }
        return new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public void execute(Runnable task) {
        if (ended) {
            throw new RejectedExecutionException("ended");
        }
        long startNs = Math.max(busyUntilNs, world.nowNs() + Delays.threadTurn(world));
        busyUntilNs = startNs;
        world.after(startNs - world.nowNs(), host, task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        Timer timer = new Timer(task, -1);
        timer.start(unit.toNanos(delay));
        return timer;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period, TimeUnit unit) {
        Timer timer = new Timer(task, unit.toNanos(period));
        timer.start(unit.toNanos(initialDelay));
        return timer;
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
        return scheduleAtFixedRate(task, initialDelay, delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException("not used by the simulated code");
    }

    @Override
    public void shutdown() {
        ended = true;
    }

    @Override
    public boolean isShutdown() {
        return ended;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }

    private final class Timer implements ScheduledFuture<Object> {
        private final Runnable task;
        private final long periodNs;
        private boolean cancelled;
        private boolean done;

        Timer(Runnable task, long periodNs) {
            this.task = task;
            this.periodNs = periodNs;
        }

        void start(long delayNs) {
            world.after(delayNs + Delays.threadTurn(world), host, this::fire);
        }

        private void fire() {
            if (cancelled || ended) {
                return;
            }
            task.run();
            if (periodNs > 0) {
                start(periodNs);
            } else {
                done = true;
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            cancelled = true;
            return true;
        }

        @Override
        public boolean isCancelled() {
            return cancelled;
        }

        @Override
        public boolean isDone() {
            return done || cancelled;
        }

        @Override
        public Object get() {
            throw new CancellationException("nothing waits in virtual time");
        }

        @Override
        public Object get(long timeout, TimeUnit unit) {
            return get();
        }
    }
}
