// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of replication. It drives the loops that no fetcher drives: while links are set up, and when they end.
 * It also registers memory, so that no fetcher waits for that.
 *
 * <p>It looks at the loops when one of them has a task, for {@value #ALERT_MS} ms after that every millisecond, because
 * answers of plugins follow, and otherwise every {@value #LOOK_MS} ms. A loop that a fetcher drives costs it nothing.
 */
final class LoopKeeper implements Executor, Runnable {
    private static final Logger log = LoggerFactory.getLogger(LoopKeeper.class);
    private static final long MS = 1_000_000L;
    private static final long LOOK_MS = 200;
    private static final long ALERT_MS = 20;

    private final List<DrivenLoop> loops = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread = new DefaultThreadFactory("slipstream-replication", true).newThread(this);
    private volatile boolean alerted;
    private volatile boolean stopped;

    LoopKeeper() {
        thread.start();
    }

    DrivenLoop newLoop() {
        DrivenLoop loop = new DrivenLoop(this::alert);
        loops.add(loop);
        return loop;
    }

    private void alert() {
        if (!alerted) {
            alerted = true;
            LockSupport.unpark(thread);
        }
    }

    /** Any thread: runs the task, which may block for a moment. */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        alert();
    }

    @Override
    public void run() {
        long alertUntilNs = System.nanoTime();
        while (!stopped) {
            if (alerted) {
                alerted = false;
                alertUntilNs = System.nanoTime() + ALERT_MS * MS;
            }
            runTasks();
            for (DrivenLoop loop : loops) {
                look(loop);
            }
            if (!alerted && !stopped) {
                boolean isAlert = alertUntilNs - System.nanoTime() > 0;
                LockSupport.parkNanos(this, isAlert ? MS : LOOK_MS * MS);
            }
        }
    }

    private void look(DrivenLoop loop) {
        if (loop.tryEnter()) {
            try {
                loop.run(0);
            } finally {
                loop.leave();
            }
        }
    }

    /** The keeper's thread, or the one that closes it. */
    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                log.error("a task of replication failed", e);
            }
        }
    }

    /**
     * Stops the thread. The caller then drives all loops: it ends them by {@code end} and closes them.
     *
     * @param end gets the {@link System#nanoTime} until which it may run; returns whether all has ended
     * @return whether all has ended in that time, so that no memory is in use
     */
    boolean close(LongPredicate end, long withinNs) {
        long deadlineNs = System.nanoTime() + withinNs;
        stopped = true;
        LockSupport.unpark(thread);
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, withinNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (DrivenLoop loop : loops) {
            while (!loop.tryEnter()) {
                if (System.nanoTime() - deadlineNs >= 0) {
                    return false;
                }
                loop.wakeUp();
                LockSupport.parkNanos(MS);
            }
        }
        boolean isEnded = end.test(deadlineNs);
        runTasks();
        for (DrivenLoop loop : loops) {
            loop.destroy();
            loop.leave();
        }
        return isEnded;
    }
}
