// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import io.slipstream.broker.config.PluginKeys;
import io.slipstream.cli.KeyReference.Format;
import io.slipstream.proxy.config.ProxyKeys;

/** The configuration references of proxy and plugin, generated from their definitions; a test compares the manual. */
final class ConfigReference {
    private static final String ANY_BROKERS = "broker1.example:9092,broker2.example:9092";
    private static final String PROXY_HEADER = """
            # Configuration of the Slipstream proxy. Every key is here; what stands behind # is its default.
            # Also from the environment (listen.port is SLIPSTREAM_LISTEN_PORT) and from --set KEY=VALUE.
            # Check it with: slipstream proxy --config FILE --validate

            """;
    private static final String PLUGIN_HEADER = """
            # Keys of the Slipstream plugin, for the broker's own server.properties. The value after # is the default.

            """;

    private ConfigReference() {}

    static String ofProxy(Format format) {
        return as(format, PROXY_HEADER, new KeyReference(ProxyKeys.DEFINITION, ANY_BROKERS));
    }

    static String ofPlugin(Format format) {
        return as(format, PLUGIN_HEADER, new KeyReference(PluginKeys.DEFINITION, ""));
    }

    private static String as(Format format, String header, KeyReference reference) {
        return format == Format.PROPERTIES ? header + reference.as(format) : reference.as(format);
    }
}
