// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.metrics.MeterRegistry;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.io.IOException;
import java.util.function.IntConsumer;

/** Opens the read access of links. There is one instance per broker. For link set-up, on any thread. */
public interface ReadableLogs extends AutoCloseable {
    /**
     * @param queuePair the connected queue pair to which slot table, arm table and segments are exported
     * @param doorbell rings an armed slot's doorbell, by slot index; callable from any thread, never blocks
     */
    LinkReads open(ProtectionDomain domain, QueuePair queuePair, IntConsumer doorbell) throws IOException;

    /** Registers gauges of the links' reads and grants until {@link #close}. */
    default void meter(MeterRegistry registry) {}

    @Override
    void close();
}
