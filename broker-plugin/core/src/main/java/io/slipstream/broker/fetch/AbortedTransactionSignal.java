// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the aborted transactions that the broker indexed, over all logs. A feed compares the count at each move of its
 * watermark, on the thread and under the lock under which its own log's index was written, so it cannot miss one of its
 * own; seeing a count of another log costs it one look at its active segment's index.
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
