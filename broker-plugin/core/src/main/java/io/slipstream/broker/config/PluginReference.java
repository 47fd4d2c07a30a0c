package io.slipstream.broker.config;

import io.slipstream.protocol.config.KeyReference;
import io.slipstream.protocol.config.KeyReference.Format;
import java.util.Arrays;
import java.util.Locale;

/** Prints the plugin's configuration reference: {@code java -cp … PluginReference [markdown|properties|json]}. */
public final class PluginReference {
    private static final int WRONG_USAGE = 2;
    private static final String HEADER = """
            # Keys of the Slipstream plugin, for the broker's own server.properties. What stands behind # is the default.

            """;

    private PluginReference() {}

    public static void main(String[] arguments) {
        String wanted = arguments.length == 0 ? "markdown" : arguments[0];
        Format format = Arrays.stream(Format.values())
                .filter(known -> known.name().toLowerCase(Locale.ROOT).equals(wanted))
                .findFirst()
                .orElse(null);
        if (format == null) {
            System.err.println("slipstream: unknown format " + wanted + "; markdown, properties or json");
            System.exit(WRONG_USAGE);
        }
        System.out.print(as(format));
    }

    static String as(Format format) {
        String reference = new KeyReference(PluginKeys.DEFINITION, "").as(format);
        return format == Format.PROPERTIES ? HEADER + reference : reference;
    }
}
