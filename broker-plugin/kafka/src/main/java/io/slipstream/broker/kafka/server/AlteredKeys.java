// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.config.PluginKeys;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.Reconfigurable;

/** The plugin's keys as {@code kafka-configs --alter} changes them while the broker runs. */
record AlteredKeys(
        Set<String> reconfigurableConfigs,
        Supplier<Map<String, Object>> originals,
        Consumer<Map<String, Object>> check,
        Consumer<Map<String, Object>> altered)
        implements Reconfigurable {
    /** Returns the stock type, so that the JVM can verify the caller without loading it. */
    static Reconfigurable of(
            Set<String> keys,
            Supplier<Map<String, Object>> originals,
            Consumer<Map<String, Object>> check,
            Consumer<Map<String, Object>> altered) {
        return new AlteredKeys(keys, originals, check, altered);
    }

    @Override
    public void configure(Map<String, ?> configs) {}

    @Override
    public void validateReconfiguration(Map<String, ?> configs) {
        check.accept(settings(configs));
    }

    @Override
    public void reconfigure(Map<String, ?> configs) {
        altered.accept(settings(configs));
    }

    /** The broker's own keys are parsed in {@code configs}, so these are taken as they were given. */
    private Map<String, Object> settings(Map<String, ?> configs) {
        Map<String, Object> settings = new HashMap<>(originals.get());
        settings.keySet().removeIf(key -> key.startsWith(PluginKeys.PREFIX));
        configs.forEach((key, value) -> {
            if (key.startsWith(PluginKeys.PREFIX)) {
                settings.put(key, value);
            }
        });
        return settings;
    }
}
