// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import io.slipstream.broker.config.PluginKeys;
import io.slipstream.protocol.config.KeyReference;
import io.slipstream.protocol.config.KeyReference.Format;

/** Generates the configuration reference of the plugin from the definition. */
final class PluginReference {
    private static final String HEADER = """
            # Keys of the Slipstream plugin, for the broker's own server.properties. The value after # is the default.

            """;

    private PluginReference() {}

    static String as(Format format) {
        String reference = new KeyReference(PluginKeys.DEFINITION, "").as(format);
        return format == Format.PROPERTIES ? HEADER + reference : reference;
    }
}
