package io.slipstream.broker.config;

import java.util.Set;

/**
 * Whose connections are left to TCP, as the configuration says.
 *
 * @param principals such as {@code User:alice}
 */
public record Exclusions(ListenerSet listeners, Set<String> principals) {
    public static final Exclusions NONE = new Exclusions(ListenerSet.NONE, Set.of());

    public Exclusions {
        principals = Set.copyOf(principals);
    }

    /** Null if the connection may be bound, else why not. */
    public String reason(String listener, String principal) {
        if (listeners.includes(listener)) {
            return PluginKeys.LISTENERS_EXCLUDED + " names " + listener;
        } else if (principals.contains(principal)) {
            return PluginKeys.PRINCIPALS_EXCLUDED + " names " + principal;
        }
        return null;
    }
}
