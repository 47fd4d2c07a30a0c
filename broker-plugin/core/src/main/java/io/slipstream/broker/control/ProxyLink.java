// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.broker.fetch.LinkSlots;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.ring.RingLink;
import io.slipstream.broker.ring.RingSession;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.ring.RingUse;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.rdma.QueuePair;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * One link as the control thread sees it. Confined to the control thread.
 *
 * <pre>
 *   OPENED ──proxy connects with the token──▶ CONNECTED ──AttachLink──▶ ATTACHING ──rings served──▶ ATTACHED
 *      └───────────────┴───────────(5 s passed, queue pair or control connection gone)──┴──────────────┴─▶ CLOSED
 * </pre>
 */
final class ProxyLink {
    enum State {
        OPENED,
        CONNECTED,
        ATTACHING,
        ATTACHED,
        CLOSED
    }

    private static final SecureRandom RANDOM = new SecureRandom();

    final int linkId;
    /** The proxy's queue pair shows it. */
    final long token = RANDOM.nextLong();

    final Object connection;
    /** Whether the proxy had no other link. */
    final boolean isFirst;

    final SetupTurns.Turn turn;
    final RingThread owner;
    final LinkRegions memory;
    final int credits;
    final long attachDeadlineNs = System.nanoTime() + LinkTable.ATTACH_TIMEOUT_NS;
    final Map<Integer, RingSession> sessions = new HashMap<>();

    /** Once the token is used: completes when the control thread has noted what became of the queue pair. */
    final CompletableFuture<Void> accepting = new CompletableFuture<>();

    State state = State.OPENED;
    QueuePair queuePair;
    RingLink ring;
    LinkSlots reads;
    /** The link's part in the gauges of all links, while it is attached. */
    List<MeterRegistry.Registration> gauges = List.of();

    ProxyLink(
            int linkId,
            Object connection,
            boolean isFirst,
            SetupTurns.Turn turn,
            RingThread owner,
            LinkRegions memory,
            int credits) {
        this.linkId = linkId;
        this.connection = connection;
        this.isFirst = isFirst;
        this.turn = turn;
        this.owner = owner;
        this.memory = memory;
        this.credits = credits;
    }

    /** Returns the size of the proxy's reply ring. The staging memory mirrors it. */
    long replyRingBytes() {
        return memory.staging().lengthBytes();
    }

    void meter(MeterRegistry registry, int ringBytes) {
        RingUse use = ring.use;
        gauges = List.of(
                registry.supply(() -> credits, PluginMeter.CREDITS),
                registry.supply(use.requests::get, PluginMeter.CREDITS_IN_USE),
                registry.supply(use.waiting::get, PluginMeter.REQUESTS_WAITING),
                registry.supply(() -> ringBytes, PluginMeter.RING_BYTES),
                registry.supply(use.bytes::get, PluginMeter.RING_BYTES_IN_USE),
                registry.supply(use.movedBytes::get, PluginMeter.MOVED_BYTES),
                registry.supply(reads::slotCount, PluginMeter.SLOTS));
    }
}
