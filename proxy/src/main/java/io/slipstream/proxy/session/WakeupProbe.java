// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.slipstream.metrics.LatencyHistogram;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long an event loop takes from being woken to doing what it was woken for. When a completion or doorbell
 * was written only the other side knows, so this wakes each loop now and then from a thread of its own, in the way that
 * these do: through a descriptor that epoll watches. The data path takes no part in it.
 */
public final class WakeupProbe implements AutoCloseable {
    private static final long INTERVAL_MS = 1000;

    private final ScheduledExecutorService prober = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "slipstream-wakeup-probe");
        thread.setDaemon(true);
        return thread;
    });

    private WakeupProbe() {}

    public static WakeupProbe start(EventLoopGroup loops, LatencyHistogram latency) {
        return start(loops, latency, INTERVAL_MS);
    }

    static WakeupProbe start(EventLoopGroup loops, LatencyHistogram latency, long intervalMs) {
        List<Wakeup> wakeups = new ArrayList<>();
        for (EventExecutor loop : loops) {
            wakeups.add(new Wakeup(loop, latency));
        }
        WakeupProbe probe = new WakeupProbe();
        probe.prober.scheduleWithFixedDelay(
                () -> wakeups.forEach(Wakeup::send), intervalMs, intervalMs, TimeUnit.MILLISECONDS);
        return probe;
    }

    /** One loop's, of which one at most is under way. */
    private static final class Wakeup implements Runnable {
        private final EventExecutor loop;
        private final LatencyHistogram latency;
        private volatile long sentAtNs;
        private volatile boolean underWay;

        Wakeup(EventExecutor loop, LatencyHistogram latency) {
            this.loop = loop;
            this.latency = latency;
        }

        void send() {
            if (!underWay && !loop.isShuttingDown()) {
                underWay = true;
                sentAtNs = System.nanoTime();
                loop.execute(this);
            }
        }

        @Override
        public void run() {
            latency.recordNs(System.nanoTime() - sentAtNs);
            underWay = false;
        }
    }

    @Override
    public void close() {
        prober.shutdownNow();
    }
}
