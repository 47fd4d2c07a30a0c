// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** A set of the broker's listeners, or all of them, including listeners added later. Immutable. */
public record ListenerSet(boolean isAll, Set<String> names) {
    static final String ALL_LISTENERS = "*";

    public static final ListenerSet ALL = new ListenerSet(true, Set.of());
    public static final ListenerSet NONE = new ListenerSet(false, Set.of());

    public ListenerSet {
        names = Set.copyOf(names);
    }

    /** Parses names separated by commas, or {@code *}. Names are converted to upper case, as in the broker. */
    static ListenerSet parse(String text) {
        Set<String> names = new TreeSet<>();
        for (String part : text.split(",")) {
            String name = part.strip().toUpperCase(Locale.ROOT);
            if (name.equals(ALL_LISTENERS)) {
                return ALL;
            } else if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names.isEmpty() ? NONE : new ListenerSet(false, names);
    }

    /** @param listenerName the broker's name of the listener, in upper case */
    public boolean includes(String listenerName) {
        return isAll || names.contains(listenerName);
    }

    @Override
    public String toString() {
        return isAll ? ALL_LISTENERS : String.join(",", new TreeSet<>(names));
    }
}
