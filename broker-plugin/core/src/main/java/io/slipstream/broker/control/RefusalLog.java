// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.cache.LRUCache;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs refused RDMA grants with the principal and the reason. Each pair is logged once in ten minutes, and at most
 * {@value #MOST_A_SECOND} lines a second, so that clients cannot fill the broker's log. Any thread.
 */
final class RefusalLog {
    private static final long AGAIN_NS = TimeUnit.MINUTES.toNanos(10);
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    static final int MOST_A_SECOND = 10;
    private static final int MOST_REMEMBERED = 1024;
    private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);

    private final LongSupplier nanoTime;
    private final LRUCache<String, Long> toldAtNs = new LRUCache<>(MOST_REMEMBERED);
    private long secondBeganNs;
    private int toldInSecond;
    private long suppressed;

    RefusalLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.secondBeganNs = nanoTime.getAsLong();
    }

    /** @param principal null if it is not known */
    void refused(String principal, String what, String reason) {
        String line = (principal == null ? "an unknown client" : principal) + ": " + what + ", " + reason;
        if (isToBeTold(line)) {
            log.warn("RDMA refused to {}; TCP serves instead ({} more since the last such line)", line, suppressed);
            suppressed = 0;
        }
    }

    synchronized boolean isToBeTold(String line) {
        long nowNs = nanoTime.getAsLong();
        if (nowNs - secondBeganNs >= SECOND_NS) {
            secondBeganNs = nowNs;
            toldInSecond = 0;
        }
        Long last = toldAtNs.get(line);
        if (toldInSecond >= MOST_A_SECOND || (last != null && nowNs - last < AGAIN_NS)) {
            suppressed++;
            return false;
        }
        toldAtNs.put(line, nowNs);
        toldInSecond++;
        return true;
    }
}
