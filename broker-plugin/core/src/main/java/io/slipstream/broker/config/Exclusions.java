// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import java.util.Set;

/**
 * Listeners, principals and topics that the configuration excludes from RDMA.
 *
 * @param topics topics that all clients use over TCP
 * @param principals such as {@code User:alice}
 */
public record Exclusions(ListenerSet listeners, Set<String> principals, TopicSet topics) {
    public static final Exclusions NONE = new Exclusions(ListenerSet.NONE, Set.of(), TopicSet.NONE);

    public Exclusions {
        principals = Set.copyOf(principals);
    }

    /** Returns null if the connection may be bound, else the reason. */
    public String reason(String listener, String principal) {
        if (listeners.includes(listener)) {
            return PluginKeys.LISTENERS_EXCLUDED + " names " + listener;
        } else if (principals.contains(principal)) {
            return PluginKeys.PRINCIPALS_EXCLUDED + " names " + principal;
        }
        return null;
    }
}
