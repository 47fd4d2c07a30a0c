package io.slipstream.it.differential;

import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.PluginCounts;

/** How many batches a broker found in its segment and left where they were, by its own count. */
final class CommittedInPlace implements AutoCloseable {
    private PluginCounts counts;
    private long before;

    /** Counts from now on. */
    void start(BrokerProcess broker) {
        before = read(broker);
    }

    /** Since {@link #start}, or since the broker was restarted after it. */
    long of(BrokerProcess broker) {
        if (!counts.isOf(broker)) {
            before = 0;
        }
        return read(broker) - before;
    }

    private long read(BrokerProcess broker) {
        if (counts == null || !counts.isOf(broker)) {
            close();
            counts = PluginCounts.of(broker);
        }
        return counts.get("BATCHES_COMMITTED_IN_PLACE");
    }

    @Override
    public void close() {
        if (counts != null) {
            counts.close();
            counts = null;
        }
    }
}
