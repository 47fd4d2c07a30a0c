// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The open connections of the management port, of bounded number. A further connection closes the one with the oldest
 * last request, so that idle connections block neither probes nor scrapes. Thread-safe.
 */
final class ManagementConnections {
    private final int limit;
    /** Ordered by last request, oldest first. */
    final Set<Channel> open = new LinkedHashSet<>();

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

    /** Records a request of the connection. */
    synchronized void onRequest(Channel channel) {
        if (open.remove(channel)) {
            open.add(channel);
        }
    }

    private synchronized void remove(Channel channel) {
        open.remove(channel);
    }
}
