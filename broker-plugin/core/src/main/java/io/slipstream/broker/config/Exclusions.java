// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/**
 * Listeners, principals and topics that the configuration excludes from RDMA.
 *
 * @param listeners the broker's names, in upper case; {@value #ALL} stands for all, including those added later
 * @param topics topics that all clients use over TCP
 * @param principals such as {@code User:alice}
 */
public record Exclusions(Set<String> listeners, Set<String> principals, TopicSet topics) {
    static final String ALL = "*";

    public static final Exclusions NONE = new Exclusions(Set.of(), Set.of(), TopicSet.NONE);

    /** Requires a type and a name for each principal. */
    static final ConfigDef.Validator PRINCIPALS = ConfigDef.LambdaValidator.with(
            (key, value) -> {
                for (String principal : principals((String) value)) {
                    int colon = principal.indexOf(':');
                    if (colon <= 0 || colon == principal.length() - 1) {
                        throw new ConfigException(
                                key, principal, "must be TYPE:NAME, such as User:alice; several are separated by ;");
                    }
                }
            },
            () -> "TYPE:NAME;TYPE:NAME;…");

    public Exclusions {
        listeners = Set.copyOf(listeners);
        principals = Set.copyOf(principals);
    }

    /** Parses a list of principals. Semicolons separate them, because names may contain commas. */
    static Set<String> principals(String text) {
        return split(text, ";");
    }

    /** Returns the parts of the text that are not blank. */
    static Set<String> split(String text, String separator) {
        return Arrays.stream(text.split(separator))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns null if the connection may be bound, else the reason. */
    public String reason(String listener, String principal) {
        if (listeners.contains(ALL) || listeners.contains(listener)) {
            return PluginKeys.LISTENERS_EXCLUDED + " names " + listener;
        } else if (principals.contains(principal)) {
            return PluginKeys.PRINCIPALS_EXCLUDED + " names " + principal;
        }
        return null;
    }
}
