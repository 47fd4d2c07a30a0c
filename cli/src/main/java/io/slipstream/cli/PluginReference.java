// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import io.slipstream.broker.config.PluginKeys;
import io.slipstream.protocol.config.KeyReference;
import io.slipstream.protocol.config.KeyReference.Format;

/** The configuration reference of the plugin, made from the definition. */
final class PluginReference {
    private static final String HEADER = """
            # Keys of the Slipstream plugin, for the broker's own server.properties. What stands behind # is the default.

            """;

    private PluginReference() {}

    static String as(Format format) {
        String reference = new KeyReference(PluginKeys.DEFINITION, "").as(format);
        return format == Format.PROPERTIES ? HEADER + reference : reference;
    }
}
