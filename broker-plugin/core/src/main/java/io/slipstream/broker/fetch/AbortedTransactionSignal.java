// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the aborted transactions that the broker indexes in all logs. A feed compares the count at each move of its
 * watermark. It does so on the thread, and under the lock, that wrote its log's index, so it cannot miss one of its own
 * log. A count from another log costs it one look at its active segment's index.
 */
final class AbortedTransactionSignal {
    private final AtomicLong count = new AtomicLong();

    void raise() {
        count.incrementAndGet();
    }

    long count() {
        return count.get();
    }
}
