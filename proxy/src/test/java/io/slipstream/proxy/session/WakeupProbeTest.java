// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.LatencyHistogram;
import io.slipstream.metrics.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WakeupProbeTest {
    private static final long STUCK_MS = 300;
    private final LatencyHistogram latency = new MeterRegistry(Meter.values()).latency(Meter.WAKEUP_LATENCY);

    @Test
    void shouldTellHowLongALoopDidNotCome() throws InterruptedException {
        Transport transport = Transport.start("slipstream-loop", 1, 0);
        WakeupProbe probe = WakeupProbe.start(transport.loops(), latency, 10);
        await().atMost(Duration.ofSeconds(20)).until(() -> latency.count() >= 3);

        CountDownLatch stuck = new CountDownLatch(1);
        transport.loops().next().execute(() -> awaitUninterruptibly(stuck));
        TimeUnit.MILLISECONDS.sleep(STUCK_MS);
        await().atMost(Duration.ofSeconds(20)).until(() -> probe.stalled(0) != null);
        assertThat(probe.stalled(0)).contains("slipstream-loop-");
        assertThat(probe.stalled(TimeUnit.HOURS.toNanos(1))).isNull();
        long before = latency.count();
        stuck.countDown();
        await().atMost(Duration.ofSeconds(20)).until(() -> latency.count() > before);
        assertThat(latency.quantileNs(1)).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(STUCK_MS / 2));

        probe.close();
        transport.close();
    }

    @Test
    void shouldTellWhichLoopHasMoreToDoThanItCan() {
        Transport transport = Transport.start("slipstream-loop", 2, 0);
        WakeupProbe probe = WakeupProbe.start(transport.loops(), latency, 10);
        EventLoop busy = transport.loops().next();
        AtomicBoolean over = new AtomicBoolean();
        busy.execute(() -> work(busy, over));
        // As late as the other one, but it computes nothing.
        EventLoop waiting = transport.loops().next();
        waiting.execute(() -> sleep(waiting, over));
        await().atMost(Duration.ofSeconds(20)).until(() -> probe.isSaturated(busy));
        assertThat(waiting).isNotSameAs(busy);
        assertThat(probe.isSaturated(waiting)).isFalse();
        over.set(true);
        await().atMost(Duration.ofSeconds(20)).until(() -> !probe.isSaturated(busy));
        probe.close();
        transport.close();
    }

    private static void work(EventLoop loop, AtomicBoolean over) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
        while (System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
        if (!over.get()) {
            loop.execute(() -> work(loop, over));
        }
    }

    private static void sleep(EventLoop loop, AtomicBoolean over) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        if (!over.get()) {
            loop.execute(() -> sleep(loop, over));
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
