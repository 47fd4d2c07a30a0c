// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Admits one log line per second and cause, so that a port scan or a broker failure does not fill the disk.
 * Thread-safe.
 */
final class DisconnectLogLimit {
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLongArray nextNs = new AtomicLongArray(DisconnectCause.values().length);

    DisconnectLogLimit() {
        long nowNs = System.nanoTime();
        for (int i = 0; i < nextNs.length(); i++) {
            nextNs.set(i, nowNs);
        }
    }

    boolean permits(DisconnectCause cause) {
        long nowNs = System.nanoTime();
        long next = nextNs.get(cause.ordinal());
        return nowNs - next >= 0 && nextNs.compareAndSet(cause.ordinal(), next, nowNs + PAUSE_NS);
    }
}
