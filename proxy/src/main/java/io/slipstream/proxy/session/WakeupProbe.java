// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.slipstream.metrics.LatencyHistogram;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Measures the time from the wake-up of an event loop to its reaction. Only the other side knows when a completion or
 * doorbell was written, so a thread of this class wakes each loop at intervals. It uses the same mechanism: a
 * descriptor that epoll watches. The data path takes no part in it. A loop that does not react has stalled.
 */
public final class WakeupProbe implements AutoCloseable {
    private static final long INTERVAL_MS = 1000;
    /** An idle loop reacts in a tenth of this. */
    private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Without this part of a processor, a loop is late because other threads have the processor. */
    private static final double BUSY = 0.25;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final ScheduledExecutorService prober =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("slipstream-wakeup-probe", true));

    private final List<Wakeup> wakeups = new ArrayList<>();

    private WakeupProbe() {}

    public static WakeupProbe start(EventLoopGroup loops, LatencyHistogram latency) {
        return start(loops, latency, INTERVAL_MS);
    }

    static WakeupProbe start(EventLoopGroup loops, LatencyHistogram latency, long intervalMs) {
        WakeupProbe probe = new WakeupProbe();
        loops.forEach(loop -> probe.wakeups.add(new Wakeup(loop, latency)));
        probe.prober.scheduleWithFixedDelay(
                () -> probe.wakeups.forEach(Wakeup::send), intervalMs, intervalMs, TimeUnit.MILLISECONDS);
        return probe;
    }

    /** Names a loop that has run no task for longer than this; null if there is none. Any thread. */
    public String stalled(long boundNs) {
        for (Wakeup wakeup : wakeups) {
            long waitedNs = wakeup.underWay ? System.nanoTime() - wakeup.sentAtNs : 0;
            if (waitedNs > boundNs) {
                return "event loop " + wakeup.thread + " has run no task for "
                        + TimeUnit.NANOSECONDS.toSeconds(waitedNs) + " s";
            }
        }
        return null;
    }

    /** Whether the loop was busy and reacted late the last two times: it has more to do than it can. Any thread. */
    public boolean isSaturated(EventExecutor loop) {
        return wakeups.stream().anyMatch(wakeup -> wakeup.loop == loop && wakeup.lateInTurn > 1);
    }

    /** The probe of one loop, of which at most one is outstanding. */
    private static final class Wakeup implements Runnable {
        private final EventExecutor loop;
        private final LatencyHistogram latency;
        private volatile long sentAtNs;
        private volatile boolean underWay;
        /** How many of the last reactions were late while the loop was busy. Written by the loop, as the next two. */
        private volatile int lateInTurn;

        private long ranAtNs = System.nanoTime();
        private long cpuNs;
        private volatile String thread = "without a thread";

        Wakeup(EventExecutor loop, LatencyHistogram latency) {
            this.loop = loop;
            this.latency = latency;
        }

        void send() {
            if (!underWay && !loop.isShuttingDown()) {
                sentAtNs = System.nanoTime();
                underWay = true;
                loop.execute(this);
            }
        }

        @Override
        public void run() {
            long nowNs = System.nanoTime();
            long usedNs = THREADS.getCurrentThreadCpuTime();
            latency.recordNs(nowNs - sentAtNs);
            boolean busy = usedNs - cpuNs > BUSY * (nowNs - ranAtNs);
            lateInTurn = busy && nowNs - sentAtNs > LATE_NS ? lateInTurn + 1 : 0;
            ranAtNs = nowNs;
            cpuNs = usedNs;
            thread = Thread.currentThread().getName();
            underWay = false;
        }
    }

    @Override
    public void close() {
        prober.shutdownNow();
    }
}
