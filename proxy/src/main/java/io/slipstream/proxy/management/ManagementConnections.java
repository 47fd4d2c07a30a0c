// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The open connections of the management port, a bounded number: one more closes the one that asked for nothing the
 * longest, so that whoever holds connections open shuts out neither probes nor a scrape. Thread-safe.
 */
final class ManagementConnections {
    private final int limit;
    /** The one that was quiet the longest first. */
    private final Set<Channel> open = new LinkedHashSet<>();

    ManagementConnections(int limit) {
        this.limit = limit;
    }

    void add(Channel channel) {
        Channel excess = null;
        synchronized (this) {
            open.add(channel);
            if (open.size() > limit) {
                Iterator<Channel> eldest = open.iterator();
                excess = eldest.next();
                eldest.remove();
            }
        }
        if (excess != null) {
            excess.close();
        }
        channel.closeFuture().addListener(closed -> remove(channel));
    }

    /** It asked for a page. */
    synchronized void onRequest(Channel channel) {
        if (open.remove(channel)) {
            open.add(channel);
        }
    }

    private synchronized void remove(Channel channel) {
        open.remove(channel);
    }

    synchronized int size() {
        return open.size();
    }
}
