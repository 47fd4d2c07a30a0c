// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LoopKeeperTest {
    private static final long A_SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final LoopKeeper keeper = new LoopKeeper();
    private boolean closed;

    private boolean close(boolean hasEnded) {
        closed = true;
        return keeper.close(deadlineNs -> hasEnded, A_SECOND_NS);
    }

    @AfterEach
    void closeIfOpen() {
        if (!closed) {
            close(true);
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldDriveALoopThatNobodyDrives() throws Exception {
        DrivenLoop loop = keeper.newLoop();
        CountDownLatch ran = new CountDownLatch(2);

        loop.execute(ran::countDown);
        loop.schedule(ran::countDown, 300, TimeUnit.MILLISECONDS);

        await(ran);
    }

    /** A fetcher that waits drives its loop itself, also while the keeper has other work. */
    @Test
    void shouldDriveTheOtherLoopsMeanwhile() throws Exception {
        DrivenLoop busy = keeper.newLoop();
        assertThat(busy.tryEnter()).isTrue();
        try {
            CountDownLatch ran = new CountDownLatch(1);
            keeper.newLoop().execute(ran::countDown);
            await(ran);
        } finally {
            busy.leave();
        }
    }

    @Test
    void shouldRunTasksAfterOneThatFailed() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);

        keeper.execute(() -> {
            throw new IllegalStateException("as a task may");
        });
        keeper.execute(ran::countDown);

        await(ran);
    }

    @Test
    void shouldRunWhatIsLeftWhenClosed() throws Exception {
        CountDownLatch holds = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        AtomicBoolean ran = new AtomicBoolean();
        keeper.execute(() -> {
            held.countDown();
            try {
                holds.await(200, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await(held);
        keeper.execute(() -> ran.set(true));

        assertThat(close(true)).isTrue();

        assertThat(ran).isTrue();
    }

    /** Their memory may be in use, so it stays registered. */
    @Test
    void shouldSayThatLinksDidNotEnd() {
        assertThat(close(false)).isFalse();
    }

    @Test
    void shouldNotTakeALoopFromItsDriver() {
        DrivenLoop loop = keeper.newLoop();
        assertThat(loop.tryEnter()).isTrue();
        long startNs = System.nanoTime();

        assertThat(close(true)).isFalse();

        assertThat(System.nanoTime() - startNs).isLessThan(10 * A_SECOND_NS);
        assertThat(loop.isShutdown()).isFalse();
        loop.leave();
    }

    @Test
    void shouldDestroyItsLoops() {
        DrivenLoop loop = keeper.newLoop();

        assertThat(close(true)).isTrue();

        assertThat(loop.isShutdown()).isTrue();
    }
}
