// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;

/** Derives settings from arbitrary bytes. */
public final class Settings {
    private Settings() {}

    /** Returns the bytes as properties; {@code #N} stands for the N-th key. Empty if they are not properties. */
    public static Map<String, String> of(byte[] bytes, Set<String> keys) {
        List<String> names = keys.stream().sorted().toList();
        Properties properties = new Properties();
        try {
            // A line that starts with this sign would be a comment.
            properties.load(new StringReader(new String(bytes, StandardCharsets.UTF_8).replace("#", "\\#")));
        } catch (IOException | IllegalArgumentException notProperties) {
            return Map.of();
        }
        Map<String, String> settings = new HashMap<>();
        properties
                .stringPropertyNames()
                .forEach(key -> settings.put(
                        name(key, names), properties.getProperty(key).trim()));
        return settings;
    }

    private static String name(String key, List<String> names) {
        if (key.length() >= 2 && key.length() <= 4 && key.charAt(0) == '#') {
            int number = 0;
            for (int i = 1; i < key.length(); i++) {
                number = 10 * number + (key.charAt(i) - '0');
            }
            return names.get(Math.floorMod(number, names.size()));
        }
        return key;
    }

    /** Checks that a refusal names a given or known key. */
    public static void requireNamed(ConfigException refused, Map<String, String> given, Set<String> known) {
        String message = String.valueOf(refused.getMessage());
        if (given.keySet().stream().noneMatch(message::contains)
                && known.stream().noneMatch(message::contains)) {
            throw new AssertionError("no key is named: " + message);
        }
    }
}
