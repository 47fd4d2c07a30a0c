// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.rdma.CompletionQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * An event loop without a thread of its own. A thread that waits for an event of the loop drives it meanwhile, and so
 * gets the event without a change of threads. One thread drives at a time:
 *
 * <pre>
 *   FREE ──tryEnter()──▶ DRIVEN by the caller: run(), run(), … ──leave()──▶ FREE
 * </pre>
 *
 * <p>A task that comes while nobody drives waits for the next driver, and {@code onNeglected} asks for one. Handlers
 * and tasks see what earlier drivers wrote.
 */
@SuppressWarnings("deprecation") // Netty deprecates methods of the interface
final class DrivenLoop extends AbstractScheduledEventExecutor implements IoEventLoop, LeaderLoop {
    private static final long MOST_PARKED_NS = 100_000_000L;
    /** An empty task. Unlike a wake-up, a queued task is not lost if the driver is about to sleep. */
    private static final Runnable NOTHING = () -> {};

    private final AtomicReference<Thread> driver = new AtomicReference<>();
    /** Threads that wait while another one drives. */
    private final Queue<Thread> parked = new ConcurrentLinkedQueue<>();

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final IoHandler handler = EpollIoHandler.newFactory().newHandler(this);
    private final Runnable onNeglected;
    private final Promise<?> termination = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
    private final Turn turn = new Turn();
    private boolean initialized;
    /** The turns of its link. */
    final LoopTurn links = new LoopTurn(this);

    private volatile boolean shuttingDown;

    /** @param onNeglected any thread: a task waits, and nobody drives */
    DrivenLoop(Runnable onNeglected) {
        this.onNeglected = onNeglected;
    }

    /** The thread that waits drives the loop meanwhile, unless another thread does. */
    @Override
    public void await(Runnable task, Awaited event, long deadlineNs) {
        boolean isPosted = false;
        long leftNs = deadlineNs - System.nanoTime();
        while (!event.isOver() && leftNs > 0) {
            if (tryEnter()) {
                try {
                    if (!isPosted) {
                        isPosted = true;
                        task.run();
                        runTasks();
                    }
                    for (; !event.isOver() && leftNs > 0; leftNs = deadlineNs - System.nanoTime()) {
                        run(leftNs);
                    }
                } finally {
                    leave();
                }
            } else if (!isPosted) {
                isPosted = true;
                execute(task);
            } else {
                park(event, leftNs);
            }
            leftNs = deadlineNs - System.nanoTime();
        }
        passOn();
    }

    /** Wakes a thread that may drive now. */
    private boolean passOn() {
        Thread next = driver.get() == null ? parked.peek() : null;
        if (next != null) {
            LockSupport.unpark(next);
        }
        return next != null;
    }

    private void park(Awaited event, long leftNs) {
        Thread self = Thread.currentThread();
        parked.add(self);
        // Who drives may have left before this thread was in the queue.
        if (driver.get() != null && !event.isOver()) {
            LockSupport.parkNanos(this, Math.min(leftNs, MOST_PARKED_NS));
        }
        parked.remove(self);
    }

    /** Any thread: returns whether it drives from now on. */
    boolean tryEnter() {
        return driver.compareAndSet(null, Thread.currentThread());
    }

    /** The driver: handles events and tasks, and waits for the first of them for at most that time. */
    void run(long waitNs) {
        if (!initialized) {
            initialized = true;
            handler.initialize();
        }
        turn.waitNs = waitNs;
        handler.run(turn);
        runTasks();
    }

    private void runTasks() {
        fetchFromScheduledTaskQueue(tasks);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            safeExecute(task);
        }
    }

    /** The driver: another thread may drive. */
    void leave() {
        CompletionQueue queue = links.newestQueue;
        if (queue != null) {
            queue.handOver();
        }
        driver.set(null);
        if (!passOn() && !tasks.isEmpty() && driver.get() == null) {
            onNeglected.run();
        }
    }

    @Override
    public void wakeUp() {
        execute(NOTHING);
        parked.forEach(LockSupport::unpark);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        Thread current = driver.get();
        if (current == null) {
            onNeglected.run();
        } else if (current != Thread.currentThread()) {
            handler.wakeup();
        }
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return driver.get() == thread;
    }

    @Override
    public boolean isExecutorThread(Thread thread) {
        return inEventLoop(thread);
    }

    @Override
    public Future<IoRegistration> register(IoHandle handle) {
        Promise<IoRegistration> promise = newPromise();
        if (inEventLoop()) {
            register(handle, promise);
        } else {
            execute(() -> register(handle, promise));
        }
        return promise;
    }

    private void register(IoHandle handle, Promise<IoRegistration> promise) {
        try {
            promise.setSuccess(handler.register(handle));
        } catch (Exception e) {
            promise.setFailure(e);
        }
    }

    @Override
    public ChannelFuture register(Channel channel) {
        return register(new DefaultChannelPromise(channel, this));
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> handlerType) {
        return handler.getClass() == handlerType;
    }

    @Override
    public IoEventLoop next() {
        return this;
    }

    @Override
    public IoEventLoopGroup parent() {
        return null;
    }

    /** The driver: closes the handles that are left, and what the loop itself has open. */
    void destroy() {
        shuttingDown = true;
        if (initialized) {
            runTasks();
            handler.prepareToDestroy();
            runTasks();
            handler.destroy();
        }
        cancelScheduledTasks();
        tasks.clear();
        termination.trySuccess(null);
    }

    /** {@link #destroy} ends it. */
    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        shuttingDown = true;
        return termination;
    }

    @Override
    @Deprecated
    public void shutdown() {
        shuttingDown = true;
    }

    @Override
    public Future<?> terminationFuture() {
        return termination;
    }

    @Override
    public boolean isShuttingDown() {
        return shuttingDown;
    }

    @Override
    public boolean isShutdown() {
        return termination.isDone();
    }

    @Override
    public boolean isTerminated() {
        return termination.isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return termination.await(timeout, unit);
    }

    /** How long the driver may wait in one turn. */
    private final class Turn implements IoHandlerContext {
        long waitNs;

        @Override
        public boolean canBlock() {
            return waitNs > 0 && tasks.isEmpty() && !hasScheduledTasks();
        }

        @Override
        public long delayNanos(long nowNs) {
            return Math.min(waitNs, DrivenLoop.this.delayNanos(nowNs, waitNs));
        }

        /** That of the next scheduled task if possible: then the timer of the last turn still serves. */
        @Override
        public long deadlineNanos() {
            long scheduled = nextScheduledTaskDeadlineNanos();
            long nowNs = ticker().nanoTime();
            return scheduled == -1 || scheduled - nowNs > waitNs ? nowNs + waitNs : scheduled;
        }
    }
}
