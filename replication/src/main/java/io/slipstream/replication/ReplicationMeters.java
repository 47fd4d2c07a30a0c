// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.metrics.Count;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;

/** The meters of replication, among those of the plugin; resolved once. */
final class ReplicationMeters {
    /** Why a fetch left RDMA for TCP; the lower-case name is the label of the meter. */
    enum Fallback {
        /** The leader's plugin ended the session, or its settings exclude it. */
        REFUSED,
        /** There was no credit or no room. */
        RING_FULL,
        LINK_LOST,
        /** No answer came in time. */
        TIMED_OUT,
        /** The answer could not be parsed. */
        UNREADABLE
    }

    final Count byRdma;
    final Count byTcp;
    final Count bytes;
    final MeterRegistry registry;
    private final Count[] fallbacks = new Count[Fallback.values().length];

    ReplicationMeters(MeterRegistry registry) {
        this.registry = registry;
        byRdma = registry.count(PluginMeter.REPLICATION_FETCHES, "rdma");
        byTcp = registry.count(PluginMeter.REPLICATION_FETCHES, "tcp");
        bytes = registry.count(PluginMeter.REPLICATION_BYTES);
        for (Fallback reason : Fallback.values()) {
            fallbacks[reason.ordinal()] = registry.count(PluginMeter.REPLICATION_FALLBACKS, Label.valueOf(reason));
        }
    }

    void fellBack(Fallback reason) {
        fallbacks[reason.ordinal()].increment();
    }
}
