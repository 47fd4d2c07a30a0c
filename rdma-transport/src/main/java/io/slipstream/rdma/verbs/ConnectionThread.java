// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a device. It takes events of the connection manager and of the device one at a time, runs submitted
 * tasks in order, and runs timers. It sleeps in poll(2) and is woken through an eventfd.
 */
final class ConnectionThread implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ConnectionThread.class);
    private static final long LONGEST_SLEEP_MS = 1000;
    private static final long PAUSE_WHEN_BROKEN_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /** An action at a given time, unless it is cancelled before. */
    static final class Timer {
        private final long dueNs;
        private Runnable action;

        private Timer(long dueNs, Runnable action) {
            this.dueNs = dueNs;
            this.action = action;
        }

        /** Connection thread. */
        void cancel() {
            action = null;
        }
    }

    private final NativeVerbs natives;
    private final long channel;
    private final VerbsDevice device;
    private final Thread thread;
    private final FileDescriptor wakeUp = Native.newEventFd();
    private final ByteBuffer event =
            ByteBuffer.allocateDirect(CmEvent.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** Guarded by itself, as is {@link #ended}. */
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    private boolean ended;

    // Connection thread only.
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(timer -> timer.dueNs - ORIGIN_NS));
    private static final long ORIGIN_NS = System.nanoTime();
    private boolean stopping;
    private boolean broken;

    ConnectionThread(NativeVerbs natives, long channel, String deviceName, VerbsDevice device) {
        this.natives = natives;
        this.channel = channel;
        this.device = device;
        this.thread = new Thread(this, "slipstream-verbs-" + deviceName);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Any thread. Tasks run in the order of submission. Returns false if the thread has ended. */
    boolean execute(Runnable task) {
        synchronized (tasks) {
            if (ended) {
                return false;
            }
            tasks.add(task);
            if (tasks.size() == 1 && !isCurrent()) {
                Native.eventFdWrite(wakeUp.intValue(), 1);
            }
            return true;
        }
    }

    /** Connection thread. */
    Timer schedule(Runnable action, long delayNs) {
        Timer timer = new Timer(System.nanoTime() + delayNs, action);
        timers.add(timer);
        return timer;
    }

    /** Connection thread: it ends when the tasks submitted so far are done. */
    void stop() {
        stopping = true;
    }

    boolean awaitEnd(long timeoutNs) {
        try {
            thread.join(TimeUnit.NANOSECONDS.toMillis(timeoutNs));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    @Override
    public void run() {
        while (!stopping) {
            runTasks();
            long timeoutMs = runTimers();
            if (!stopping) {
                takeEvent((int) timeoutMs);
            }
        }
        synchronized (tasks) {
            ended = true;
        }
        runTasks();
        run(device::onEnd);
        try {
            wakeUp.close();
        } catch (IOException e) {
            throw new AssertionError("closing an eventfd", e);
        }
    }

    /** Runs only the tasks that are present at the start, so that tasks that submit others do not delay events. */
    private void runTasks() {
        int count;
        synchronized (tasks) {
            count = tasks.size();
        }
        for (int i = 0; i < count; i++) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.peek();
            }
            run(task);
            synchronized (tasks) {
                // Removed only now, so that other threads see that this thread is awake.
                tasks.remove();
            }
        }
    }

    /** Runs the timers that are due. Returns the time to sleep in milliseconds. */
    private long runTimers() {
        Timer next = timers.peek();
        while (next != null && (next.action == null || next.dueNs - System.nanoTime() <= 0)) {
            timers.remove();
            if (next.action != null) {
                run(next.action);
            }
            next = timers.peek();
        }
        synchronized (tasks) {
            if (!tasks.isEmpty()) {
                return 0;
            }
        }
        return next == null
                ? LONGEST_SLEEP_MS
                : Math.min(LONGEST_SLEEP_MS, 1 + TimeUnit.NANOSECONDS.toMillis(next.dueNs - System.nanoTime()));
    }

    private void takeEvent(int timeoutMs) {
        if (broken) {
            LockSupport.parkNanos(PAUSE_WHEN_BROKEN_NS);
            return;
        }
        try {
            switch (natives.nextEvent(
                    channel, device.watchedContext(), wakeUp.intValue(), Math.max(0, timeoutMs), event)) {
                case CmEvent.CM -> run(() -> device.onConnectionEvent(event));
                case CmEvent.ASYNC ->
                    run(() ->
                            AsyncEvents.tellAll(device.context, event.getInt(CmEvent.TYPE), event.getLong(CmEvent.ID)));
                default -> {
                    // No event, or a wake-up for a task.
                }
            }
        } catch (IOException e) {
            broken = true;
            run(() -> device.onBroken(e));
        }
    }

    private static void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            log.error("A task on the connection thread failed", e);
        }
    }
}
