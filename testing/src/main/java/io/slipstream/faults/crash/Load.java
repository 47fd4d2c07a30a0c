// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.faults.FaultFailure;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Observes the clients' progress to kill under load. */
final class Load {
    private static final Duration PATIENCE = Patience.ofSeconds(60);
    private static final long ENOUGH = 100;
    private static final long ENOUGH_BY_RDMA = 50;
    private static final long SAMPLE_NS = 5_000_000;
    private static final long LONGEST_PEAK_NS = 400_000_000;
    private static final double PEAK = 0.8;

    private final LongSupplier acknowledged;
    private final List<ProxyProcess> proxies;
    private long atStart;
    private long byRdmaAtStart;

    /**
     * @param acknowledged records so far
     * @param proxies proxies through which records should go by RDMA
     */
    Load(LongSupplier acknowledged, List<ProxyProcess> proxies) {
        this.acknowledged = acknowledged;
        this.proxies = proxies;
    }

    /** Starts the interval before the next kill. */
    void begin() {
        atStart = acknowledged.getAsLong();
        byRdmaAtStart = producedByRdma();
    }

    /** Waits until clients are acknowledged again, by RDMA if there are proxies. */
    void awaitWarm() {
        long before = acknowledged.getAsLong();
        long[] byRdma =
                proxies.stream().mapToLong(CrashDeployment::producedByRdma).toArray();
        boolean warm = Deadline.after(PATIENCE).await(() -> {
            for (int i = 0; i < byRdma.length; i++) {
                if (CrashDeployment.producedByRdma(proxies.get(i)) - byRdma[i] < ENOUGH_BY_RDMA) {
                    return false;
                }
            }
            return acknowledged.getAsLong() - before >= ENOUGH;
        });
        if (!warm) {
            throw new FaultFailure("clients did not resume work, or not by RDMA, " + PATIENCE.toSeconds()
                    + " s after the processes were ready");
        }
    }

    /** Observes the load for the time, then optionally waits for a rate near the observed maximum. */
    void watch(int ms, boolean toPeak) {
        long end = System.nanoTime() + ms * 1_000_000L;
        long highest = 1;
        long last = acknowledged.getAsLong();
        while (true) {
            LockSupport.parkNanos(SAMPLE_NS);
            long now = acknowledged.getAsLong();
            long rate = now - last;
            last = now;
            long over = System.nanoTime() - end;
            boolean there = !toPeak || rate >= PEAK * highest || over > LONGEST_PEAK_NS;
            if (over >= 0 && there) {
                return;
            }
            highest = Math.max(highest, rate);
        }
    }

    /** Since {@link #begin}. */
    long acknowledged() {
        return acknowledged.getAsLong() - atStart;
    }

    /** Since {@link #begin}; 0 for a proxy killed meanwhile. */
    long byRdma() {
        return Math.max(0, producedByRdma() - byRdmaAtStart);
    }

    private long producedByRdma() {
        return proxies.stream()
                .filter(ProxyProcess::isAlive)
                .mapToLong(CrashDeployment::producedByRdma)
                .sum();
    }
}
