// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

/**
 * How long a {@link CompletionPump} polls in place before it sleeps. After each success the limit doubles, up to its
 * first value; after each failure it halves. Below 1 µs the next 64 polls are skipped. Providers that complete a
 * request within its post never get here with outstanding work. Allocates nothing.
 */
final class AdaptiveSpin {
    private static final long LEAST_NS = 1_000;
    static final int REST = 64;

    private final long mostNs;
    private long limitNs;
    private int restLeft;

    /** @param mostNs 0 to sleep at once */
    AdaptiveSpin(long mostNs) {
        this.mostNs = mostNs;
        this.limitNs = mostNs;
    }

    /** Time to poll now, in ns, with work requests outstanding; call {@link #polled} afterwards unless it is 0. */
    long limitNs() {
        if (restLeft > 0) {
            restLeft--;
            return 0;
        }
        return limitNs;
    }

    /** Reports whether polling for {@link #limitNs} found a completion. */
    void polled(boolean found) {
        if (found) {
            limitNs = Math.min(mostNs, 2 * limitNs);
        } else if (limitNs / 2 >= LEAST_NS) {
            limitNs /= 2;
        } else {
            restLeft = REST;
        }
    }
}
