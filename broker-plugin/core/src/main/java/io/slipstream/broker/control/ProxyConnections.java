// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open connections of one listener and their number per peer. If there is no room, the oldest connection without
 * Hello is closed. Many such connections therefore neither exclude a new proxy nor affect one that has said Hello.
 * Control thread.
 */
final class ProxyConnections {
    private static final int LEAST = 256;

    private static final long WARNING_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(ProxyConnection.class);

    /** Largest number of connections of the listener; a proxy needs one. One user or address may have half of them. */
    private final int most;

    private final Map<Object, Integer> byPeer = new HashMap<>();
    /** Connections without Hello and their peers, in the order of their arrival. */
    private final Map<Channel, Object> ungreeted = new LinkedHashMap<>();

    int open;
    private long lastWarningNs = System.nanoTime() - WARNING_INTERVAL_NS;
    private long suppressedWarnings;

    ProxyConnections(int maxProxies) {
        this.most = Math.max(LEAST, 2 * maxProxies);
    }

    /**
     * Admits the connection. Closes an older one without Hello if there is no room. Returns false if that is not
     * possible.
     */
    boolean admit(Channel channel, Object peer) {
        boolean peerIsFull = byPeer.getOrDefault(peer, 0) >= most / 2;
        if ((peerIsFull || open >= most) && !makeRoom(peerIsFull ? peer : null)) {
            return false;
        }
        open++;
        byPeer.merge(peer, 1, Integer::sum);
        ungreeted.put(channel, peer);
        channel.closeFuture().addListener(closed -> left(channel, peer));
        return true;
    }

    /** Closes the oldest connection without Hello; only one of this peer unless {@code peer} is null. */
    private boolean makeRoom(Object peer) {
        for (Map.Entry<Channel, Object> entry : ungreeted.entrySet()) {
            if (peer == null || peer.equals(entry.getValue())) {
                ungreeted.remove(entry.getKey());
                entry.getKey().close();
                return true;
            }
        }
        return false;
    }

    void greeted(Channel channel) {
        ungreeted.remove(channel);
    }

    private void left(Channel channel, Object peer) {
        open--;
        byPeer.computeIfPresent(peer, (same, count) -> count == 1 ? null : count - 1);
        ungreeted.remove(channel);
    }

    /** Logs at most one error of a peer a second, so that peers cannot fill the broker's log. Counters count all. */
    void warn(String reason) {
        long nowNs = System.nanoTime();
        if (nowNs - lastWarningNs < WARNING_INTERVAL_NS) {
            suppressedWarnings++;
            return;
        }
        log.warn("Closing a control connection: {} ({} more since the last such line)", reason, suppressedWarnings);
        lastWarningNs = nowNs;
        suppressedWarnings = 0;
    }
}
