// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DrivenLoopTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

    private final AtomicInteger neglected = new AtomicInteger();
    private final DrivenLoop loop = new DrivenLoop(neglected::incrementAndGet);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private static long soon() {
        return System.nanoTime() + PATIENCE_NS;
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        assertThat(loop.tryEnter()).isTrue();
        loop.destroy();
        loop.leave();
    }

    @Test
    void shouldRunTasksOnTheThreadThatWaits() {
        AtomicReference<Thread> ran = new AtomicReference<>();

        loop.await(() -> ran.set(Thread.currentThread()), () -> ran.get() != null, soon());

        assertThat(ran.get()).isEqualTo(Thread.currentThread());
        assertThat(loop.inEventLoop()).isFalse();
    }

    @Test
    void shouldEndAWaitAtItsTime() {
        long startNs = System.nanoTime();

        loop.await(() -> {}, () -> false, startNs + TimeUnit.MILLISECONDS.toNanos(50));

        assertThat(System.nanoTime() - startNs)
                .isBetween(TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(10));
    }

    @Test
    void shouldRunScheduledTasks() {
        AtomicBoolean ran = new AtomicBoolean();

        loop.await(() -> loop.schedule(() -> ran.set(true), 10, TimeUnit.MILLISECONDS), ran::get, soon());

        assertThat(ran).isTrue();
    }

    /** The event ends, and its thread is woken, after it looked and before it sleeps. */
    @Test
    void shouldNotMissAWakeUpBeforeItSleeps() {
        AtomicBoolean over = new AtomicBoolean();
        long startNs = System.nanoTime();

        loop.await(
                () -> {},
                () -> {
                    boolean was = over.get();
                    if (loop.inEventLoop() && !over.getAndSet(true)) {
                        CompletableFuture.runAsync(loop::wakeUp, threads).join();
                    }
                    return was;
                },
                soon());

        assertThat(System.nanoTime() - startNs).isLessThan(PATIENCE_NS / 2);
    }

    /** A task of another thread ends the driver's sleep. */
    @Test
    void shouldWakeTheDriver() throws Exception {
        CountDownLatch driving = new CountDownLatch(1);
        AtomicBoolean ran = new AtomicBoolean();
        Future<?> driver = threads.submit(() -> loop.await(driving::countDown, ran::get, soon()));

        assertThat(driving.await(20, TimeUnit.SECONDS)).isTrue();
        loop.execute(() -> ran.set(true));

        driver.get(20, TimeUnit.SECONDS);
        assertThat(ran).isTrue();
    }

    @Test
    void shouldAskForADriverIfATaskWaits() {
        loop.execute(() -> {});

        assertThat(neglected).hasValue(1);
    }

    /** The second thread waits while the first drives, and drives when the first leaves. */
    @Test
    void shouldPassOnToTheNextThreadThatWaits() throws Exception {
        CountDownLatch driving = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean();
        AtomicBoolean second = new AtomicBoolean();
        AtomicReference<Thread> ran = new AtomicReference<>();
        Future<?> leader = threads.submit(() -> loop.await(driving::countDown, first::get, soon()));
        assertThat(driving.await(20, TimeUnit.SECONDS)).isTrue();
        Future<?> follower = threads.submit(() -> loop.await(() -> {}, second::get, soon()));

        loop.execute(() -> first.set(true));
        leader.get(20, TimeUnit.SECONDS);
        loop.schedule(
                () -> {
                    ran.set(Thread.currentThread());
                    second.set(true);
                },
                20,
                TimeUnit.MILLISECONDS);

        follower.get(20, TimeUnit.SECONDS);
        assertThat(ran.get()).isNotNull().isNotEqualTo(Thread.currentThread());
    }

    /** Many threads hand events to each other through the loop. Each wait ends, and one task runs at a time. */
    @Test
    void shouldLoseNoWakeUp() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicBoolean overlapped = new AtomicBoolean();
        Future<?>[] all = new Future<?>[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = threads.submit(() -> {
                for (int n = 0; n < 2_000; n++) {
                    AtomicBoolean over = new AtomicBoolean();
                    Runnable task = () -> {
                        overlapped.compareAndSet(false, inside.incrementAndGet() != 1);
                        inside.decrementAndGet();
                        threads.execute(() -> loop.execute(() -> over.set(true)));
                    };
                    long startNs = System.nanoTime();
                    loop.await(task, over::get, soon());
                    assertThat(over).isTrue();
                    assertThat(System.nanoTime() - startNs).isLessThan(PATIENCE_NS / 2);
                }
                return null;
            });
        }
        for (Future<?> one : all) {
            one.get(25, TimeUnit.SECONDS);
        }
        assertThat(overlapped).isFalse();
    }
}
