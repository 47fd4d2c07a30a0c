// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Accepts log levels in any case. */
final class LogLevel implements ConfigDef.Validator {
    private static final List<String> LEVELS = List.of("ERROR", "WARN", "INFO", "DEBUG", "TRACE");

    @Override
    public void ensureValid(String key, Object value) {
        if (!LEVELS.contains(value.toString().toUpperCase(Locale.ROOT))) {
            throw new ConfigException(key, value, "must be one of " + this);
        }
    }

    @Override
    public String toString() {
        return LEVELS.toString();
    }
}
