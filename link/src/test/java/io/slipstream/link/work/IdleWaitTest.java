// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.slipstream.protocol.config.PollMode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class IdleWaitTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    void shouldSpinAsLongAsItPaysAndTryAgainAfterARest() {
        IdleWait wait = new IdleWait(PollMode.ADAPTIVE, () -> {});
        assertThat(wait.spinNs()).isEqualTo(IdleWait.MOST_SPIN_NS);
        wait.polled(false);
        assertThat(wait.spinNs()).isEqualTo(IdleWait.MOST_SPIN_NS / 2);
        wait.polled(true);
        assertThat(wait.spinNs()).isEqualTo(IdleWait.MOST_SPIN_NS);
        int fruitless = 0;
        while (wait.spinNs() > 0) {
            wait.polled(false);
            assertThat(++fruitless).isLessThan(10);
        }
        for (int i = 1; i < IdleWait.REST; i++) {
            assertThat(wait.spinNs()).isZero();
        }
        assertThat(wait.spinNs()).isPositive();
        assertThat(wait.staysAwake(true)).isFalse();
        wait.close();
    }

    @Test
    void shouldNeverSpinOnEvents() {
        IdleWait wait = new IdleWait(PollMode.EVENT, () -> {});
        assertThat(wait.spinNs()).isZero();
        assertThat(wait.staysAwake(true)).isFalse();
        wait.close();
    }

    @Test
    void shouldComeBackAgainAndAgainWhileBusyWithoutKeepingTasksFromRunning() throws Exception {
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            EventLoop loop = group.next();
            AtomicInteger visits = new AtomicInteger();
            AtomicBoolean awaited = new AtomicBoolean(true);
            IdleWait[] wait = new IdleWait[1];
            loop.submit(() -> {
                        wait[0] = new IdleWait(PollMode.BUSY, () -> {
                            visits.incrementAndGet();
                            wait[0].staysAwake(awaited.get());
                        });
                        wait[0].start(loop);
                        assertThat(wait[0].staysAwake(true)).isTrue();
                    })
                    .get(10, TimeUnit.SECONDS);
            for (int cycle = 0; cycle < 3; cycle++) {
                int before = visits.get();
                await().atMost(SOON).until(() -> visits.get() > before + 1000);
                awaited.set(false);
                await().atMost(SOON)
                        .until(() ->
                                loop.submit(() -> !wait[0].staysAwake(false)).get());
                int slept = loop.submit(visits::get).get(10, TimeUnit.SECONDS);
                loop.schedule(() -> {}, 100, TimeUnit.MILLISECONDS).get(10, TimeUnit.SECONDS);
                assertThat(visits).as("asleep").hasValue(slept);
                awaited.set(true);
                loop.submit(() -> wait[0].staysAwake(true)).get(10, TimeUnit.SECONDS);
            }
            loop.submit(() -> wait[0].close()).get(10, TimeUnit.SECONDS);
        } finally {
            group.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        }
    }
}
