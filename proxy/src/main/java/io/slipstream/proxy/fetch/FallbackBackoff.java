// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.proxy.spi.FallbackReason;
import java.util.concurrent.TimeUnit;

/**
 * What the broker had to answer it will have to answer again, for example while a log is truncated: for a pause that
 * doubles, up to a second, nothing else is tried. Confined to the event loop.
 */
final class FallbackBackoff {
    private static final long FIRST_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);

    private FallbackReason reason;
    private long untilNs;
    private long lengthNs;

    /** Why requests fall back untried now; null if they do not. */
    FallbackReason reasonAt(long nowNs) {
        return untilNs - nowNs > 0 ? reason : null;
    }

    /** A request fell back. */
    void onFallBack(FallbackReason why) {
        switch (why) {
            case NOT_READABLE, LIMIT, ABORTED_TRANSACTIONS, REVOKED, STALE_SLOTS -> {
                reason = why;
                untilNs = System.nanoTime() + lengthNs;
                lengthNs = Math.min(LONGEST_NS, Math.max(FIRST_NS, 2 * lengthNs));
            }
            default -> reason = null;
        }
    }

    /** A request was answered. */
    void onAnswered() {
        lengthNs = 0;
    }
}
