// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.proxy.count.ClientActivity;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The open client sessions, for draining and for brokers that leave the cluster. Thread-safe. */
public final class SessionRegistry {
    final Set<ClientSession> open = ConcurrentHashMap.newKeySet();
    /** Closed sessions whose sockets still have answers to write. */
    final AtomicInteger closing = new AtomicInteger();

    /** Whether new clients are refused. */
    volatile boolean draining;

    public int size() {
        return open.size();
    }

    /** Number of open sessions, and of those whose last answers are not yet written to their sockets. */
    public int unfinished() {
        return open.size() + closing.get();
    }

    List<ClientActivity> activities() {
        return open.stream().map(session -> session.activity).toList();
    }

    /** Lets each session finish the requests it has read, then close, and refuses new ones. */
    public void drainAll() {
        draining = true;
        open.forEach(session -> session.eventLoop().execute(session::drain));
    }

    public void closeAll() {
        open.forEach(session -> session.eventLoop()
                .execute(() -> session.close(DisconnectCause.DRAIN_DEADLINE, "the proxy is stopping")));
    }

    /** Closes the clients of a broker that left the cluster, so that they find the new one. */
    public void closeClientsOf(int nodeId) {
        for (ClientSession session : open) {
            session.eventLoop().execute(() -> {
                if (session.nodeId() == nodeId) {
                    session.close(DisconnectCause.BROKER_GONE, "broker " + nodeId + " is no longer in the cluster");
                }
            });
        }
    }
}
