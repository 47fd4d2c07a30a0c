// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.config;

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;

/** Makes a {@link ConfigDef}, key by key: first its name, default and values, then its importance and meaning. */
public final class KeyDefinitions {
    private final ConfigDef definition = new ConfigDef();

    public ConfigDef definition() {
        return definition;
    }

    public Key flag(String name, boolean byDefault) {
        return key(name, Type.BOOLEAN, byDefault, null);
    }

    public Key text(String name, String byDefault) {
        return key(name, Type.STRING, byDefault, null);
    }

    public Key text(String name, String byDefault, Validator values) {
        return key(name, Type.STRING, byDefault, values);
    }

    public Key number(String name, int byDefault, int least, int most) {
        return key(name, Type.INT, byDefault, Range.between(least, most));
    }

    /** @param values null if all values of the type are allowed */
    public Key key(String name, Type type, Object byDefault, Validator values) {
        return new Key(this, name, type, byDefault, values);
    }

    /** A key that is defined once its importance and meaning are given. */
    public record Key(KeyDefinitions keys, String name, Type type, Object byDefault, Validator values) {
        public KeyDefinitions high(String meaning) {
            return define(Importance.HIGH, meaning);
        }

        public KeyDefinitions medium(String meaning) {
            return define(Importance.MEDIUM, meaning);
        }

        public KeyDefinitions low(String meaning) {
            return define(Importance.LOW, meaning);
        }

        private KeyDefinitions define(Importance importance, String meaning) {
            keys.definition.define(name, type, byDefault, values, importance, meaning);
            return keys;
        }
    }
}
