// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.config;

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Accepts powers of two within bounds. */
public record PowerOfTwo(int min, int max) implements ConfigDef.Validator {
    @Override
    public void ensureValid(String key, Object value) {
        int number = (Integer) value;
        if (number < min || number > max || Integer.bitCount(number) != 1) {
            throw new ConfigException(key, value, "must be " + this);
        }
    }

    @Override
    public String toString() {
        return "a power of two from " + min + " to " + max;
    }
}
