// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.meter.FallbackReason;
import java.util.concurrent.TimeUnit;

/**
 * Pause after a request, or a partition of one, that the broker had to answer, because the reason usually persists, for
 * example during a truncation. During the pause, which doubles up to a second, it is left to the broker at once.
 * Confined to the event loop.
 */
final class FallbackBackoff {
    private static final long FIRST_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);

    private FallbackReason reason;
    private long untilNs;
    private long lengthNs;

    /** Reason for requests to fall back now; null if they need not. */
    FallbackReason reasonAt(long nowNs) {
        return untilNs - nowNs > 0 ? reason : null;
    }

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

    void onAnswered() {
        lengthNs = 0;
    }
}
