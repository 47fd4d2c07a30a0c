// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.config;

import io.slipstream.protocol.control.ControlSecret;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/** Makes a {@link ConfigDef}, key by key: first its name, default and values, then its importance and meaning. */
public final class KeyDefinitions {
    public final ConfigDef definition = new ConfigDef();

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

    /**
     * The secret that two keys may give: one as its value, one as the name of a file. Null if neither is set.
     *
     * @param given null if its key is not set
     * @param file null or empty if its key is not set
     * @throws ConfigException naming the key
     */
    public static ControlSecret secret(String key, Password given, String fileKey, String file) {
        boolean hasFile = file != null && !file.isEmpty();
        try {
            if (given != null && hasFile) {
                throw new IllegalArgumentException("is set together with " + fileKey);
            } else if (given != null) {
                return ControlSecret.of(given.value());
            }
            return hasFile ? ControlSecret.read(Path.of(file)) : null;
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    given == null ? fileKey : key, given == null ? file : Password.HIDDEN, e.getMessage());
        }
    }

    /** @throws ConfigException naming the key */
    public static Path path(String key, String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new ConfigException(key, value, "is not a path: " + e.getReason());
        }
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
