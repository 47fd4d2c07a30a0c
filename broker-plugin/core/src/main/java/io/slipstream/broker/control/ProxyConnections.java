// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The open connections of one listener, and who has how many of them. When there is no room, the one that has been
 * silent longest without Hello makes it: a crowd of those neither shuts out a proxy that comes nor touches one that has
 * greeted. Control thread.
 */
final class ProxyConnections {
    /** More connections than this on one listener are refused: a proxy needs one. */
    static final int MOST = 256;
    /** Of one user, or one address. */
    static final int MOST_OF_ONE_PEER = MOST / 2;

    private final Map<Object, Integer> byPeer = new HashMap<>();
    /** With their peers, in the order in which they came. */
    private final Map<Channel, Object> ungreeted = new LinkedHashMap<>();

    private int open;

    /** Takes the connection in, if there is room or some can be made; else false. */
    boolean admit(Channel channel, Object peer) {
        boolean peerIsFull = byPeer.getOrDefault(peer, 0) >= MOST_OF_ONE_PEER;
        if ((peerIsFull || open >= MOST) && !makeRoom(peerIsFull ? peer : null)) {
            return false;
        }
        open++;
        byPeer.merge(peer, 1, Integer::sum);
        ungreeted.put(channel, peer);
        channel.closeFuture().addListener(closed -> left(channel, peer));
        return true;
    }

    /** Closes the oldest that has not greeted, of that peer if one is given. */
    private boolean makeRoom(Object peer) {
        for (Iterator<Map.Entry<Channel, Object>> entries = ungreeted.entrySet().iterator(); entries.hasNext(); ) {
            Map.Entry<Channel, Object> entry = entries.next();
            if (peer == null || peer.equals(entry.getValue())) {
                entries.remove();
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

    int open() {
        return open;
    }
}
