// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;

/** The reference of all keys of a definition, in the order of the definition. Immutable. */
final class KeyReference {
    /** Output format of a reference. */
    enum Format {
        /** A Markdown table, as in docs/operations.md. */
        MARKDOWN,
        /** A properties file to start from: each key with its description; keys with a default are commented out. */
        PROPERTIES,
        /** A JSON array with one object per key. */
        JSON
    }

    private static final int LINE_CHARACTERS = 100;

    private final List<ConfigKey> keys;
    private final String example;

    /** @param example value of keys without a default, in the properties file */
    KeyReference(ConfigDef definition, String example) {
        keys = List.copyOf(definition.configKeys().values());
        this.example = example;
    }

    String as(Format format) {
        return switch (format) {
            case MARKDOWN -> markdown();
            case PROPERTIES -> properties();
            case JSON -> json();
        };
    }

    private String markdown() {
        StringBuilder table = new StringBuilder("| key | type | default | values | meaning |\n|---|---|---|---|---|\n");
        for (ConfigKey key : keys) {
            String value = isRequired(key) || key.defaultValue == null ? "" : key.defaultValue.toString();
            table.append("| `").append(key.name).append("` | ").append(typeOf(key));
            table.append(" | ").append(isRequired(key) ? "required" : value.isEmpty() ? "" : '`' + value + '`');
            table.append(" | ").append(valuesOf(key).replace("|", "\\|"));
            table.append(" | ").append(key.documentation.replace("|", "\\|")).append(" |\n");
        }
        return table.toString();
    }

    private String properties() {
        StringBuilder file = new StringBuilder();
        for (ConfigKey key : keys) {
            comment(file, key.documentation);
            if (!valuesOf(key).isEmpty()) {
                comment(file, "Values: " + valuesOf(key));
            }
            if (isRequired(key)) {
                file.append(key.name).append('=').append(example).append("\n\n");
            } else {
                file.append('#')
                        .append(key.name)
                        .append('=')
                        .append(defaultOf(key))
                        .append("\n\n");
            }
        }
        return file.toString();
    }

    private static void comment(StringBuilder file, String text) {
        StringBuilder line = new StringBuilder("#");
        for (String word : text.split(" ")) {
            if (line.length() + word.length() >= LINE_CHARACTERS) {
                file.append(line).append('\n');
                line = new StringBuilder("#");
            }
            line.append(' ').append(word);
        }
        file.append(line).append('\n');
    }

    private String json() {
        StringBuilder array = new StringBuilder("[\n");
        for (int i = 0; i < keys.size(); i++) {
            ConfigKey key = keys.get(i);
            array.append("  {\"key\": ").append(quoted(key.name));
            array.append(", \"type\": ").append(quoted(typeOf(key)));
            array.append(", \"required\": ").append(isRequired(key));
            array.append(", \"default\": ").append(isRequired(key) ? "null" : quoted(defaultOf(key)));
            array.append(", \"values\": ").append(quoted(valuesOf(key)));
            array.append(", \"meaning\": ").append(quoted(key.documentation));
            array.append(i + 1 < keys.size() ? "},\n" : "}\n");
        }
        return array.append("]\n").toString();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private static boolean isRequired(ConfigKey key) {
        return key.defaultValue == ConfigDef.NO_DEFAULT_VALUE;
    }

    /** The default in the notation of a properties file. */
    private static String defaultOf(ConfigKey key) {
        if (key.defaultValue == null || isRequired(key)) {
            return "";
        }
        return key.defaultValue instanceof List<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(","))
                : key.defaultValue.toString();
    }

    private static String typeOf(ConfigKey key) {
        return key.type.name().toLowerCase(Locale.ROOT);
    }

    private static String valuesOf(ConfigKey key) {
        return key.validator == null ? "" : key.validator.toString();
    }
}
