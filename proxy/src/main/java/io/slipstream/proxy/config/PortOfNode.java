// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Validates and parses lists of {@code NODE_ID:PORT}, one per node. */
final class PortOfNode implements ConfigDef.Validator {
    private static final Pattern ENTRY = Pattern.compile("(\\d{1,9}):(\\d{1,5})");

    @Override
    public void ensureValid(String key, Object value) {
        List<?> entries = (List<?>) value;
        Map<Integer, Integer> ports = new HashMap<>();
        for (Object entry : entries) {
            if (!add(entry.toString(), ports)) {
                throw new ConfigException(key, value, "must be NODE_ID:PORT, once per node; invalid: " + entry);
            }
        }
    }

    /** Port by node id. */
    static Map<Integer, Integer> parse(List<String> entries) {
        Map<Integer, Integer> ports = new HashMap<>();
        entries.forEach(entry -> add(entry, ports));
        return ports;
    }

    private static boolean add(String entry, Map<Integer, Integer> ports) {
        Matcher matcher = ENTRY.matcher(entry.trim());
        if (!matcher.matches()) {
            return false;
        }
        int port = Integer.parseInt(matcher.group(2));
        return port <= 65_535 && ports.put(Integer.valueOf(matcher.group(1)), port) == null;
    }

    @Override
    public String toString() {
        return "NODE_ID:PORT,...";
    }
}
