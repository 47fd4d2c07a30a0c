// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** A set of topics, given by names and by prefixes of names. Immutable. */
public record TopicSet(Set<String> names, Set<String> prefixes) {
    public static final TopicSet NONE = new TopicSet(Set.of(), Set.of());
    private static final String ANY = "*";
    private static final String PATTERN = "[a-zA-Z0-9._-]*";

    static final ConfigDef.Validator VALIDATOR = ConfigDef.LambdaValidator.with(
            (key, value) -> {
                TopicSet topics = parse((String) value);
                for (Set<String> each : List.of(topics.names, topics.prefixes)) {
                    for (String topic : each) {
                        if (!topic.matches(PATTERN)) {
                            throw new ConfigException(key, topic, "is not a topic name; * is allowed only at its end");
                        }
                    }
                }
            },
            () -> "TOPIC,PREFIX*,…");

    public TopicSet {
        names = Set.copyOf(names);
        prefixes = Set.copyOf(prefixes);
    }

    /** Parses names separated by commas. A {@code *} at the end of a name matches any rest. */
    static TopicSet parse(String text) {
        Set<String> names = new HashSet<>();
        Set<String> prefixes = new HashSet<>();
        for (String name : Exclusions.split(text, ",")) {
            if (name.endsWith(ANY)) {
                prefixes.add(name.substring(0, name.length() - 1));
            } else {
                names.add(name);
            }
        }
        return new TopicSet(names, prefixes);
    }

    public boolean isEmpty() {
        return names.isEmpty() && prefixes.isEmpty();
    }

    public boolean includes(String topic) {
        if (names.contains(topic)) {
            return true;
        }
        for (String prefix : prefixes) {
            if (topic.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
