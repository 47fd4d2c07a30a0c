// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits warnings about peers' errors to one a second, so that peers cannot fill the broker's log. The counters count
 * all errors. Control thread.
 */
final class WarningLimit {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(ProxyConnection.class);

    private long lastNs = System.nanoTime() - INTERVAL_NS;
    private long suppressed;

    void warn(String reason) {
        long nowNs = System.nanoTime();
        if (nowNs - lastNs < INTERVAL_NS) {
            suppressed++;
            return;
        }
        log.warn("Closing a control connection: {} ({} more since the last such line)", reason, suppressed);
        lastNs = nowNs;
        suppressed = 0;
    }
}
