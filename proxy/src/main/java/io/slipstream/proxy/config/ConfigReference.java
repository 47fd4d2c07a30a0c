package io.slipstream.proxy.config;

import java.util.List;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;

/** The configuration reference of docs/operations.md, made from the definition; a test keeps the two equal. */
public final class ConfigReference {
    private ConfigReference() {}

    public static void main(String[] arguments) {
        System.out.print(markdown());
    }

    /** A Markdown table of all keys, in the order of their definition. */
    public static String markdown() {
        StringBuilder table = new StringBuilder("| key | type | default | values | meaning |\n|---|---|---|---|---|\n");
        for (ConfigKey key : List.copyOf(ProxyKeys.DEFINITION.configKeys().values())) {
            table.append("| `")
                    .append(key.name)
                    .append("` | ")
                    .append(key.type.name().toLowerCase(java.util.Locale.ROOT))
                    .append(" | ")
                    .append(defaultOf(key))
                    .append(" | ")
                    .append(
                            key.validator == null
                                    ? ""
                                    : String.valueOf(key.validator).replace("|", "\\|"))
                    .append(" | ")
                    .append(key.documentation.replace("|", "\\|"))
                    .append(" |\n");
        }
        return table.toString();
    }

    private static String defaultOf(ConfigKey key) {
        if (key.defaultValue == ConfigDef.NO_DEFAULT_VALUE) {
            return "required";
        }
        return key.defaultValue == null ? "" : "`" + key.defaultValue + "`";
    }
}
