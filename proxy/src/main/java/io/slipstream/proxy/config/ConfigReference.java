// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import io.slipstream.protocol.config.KeyReference;
import io.slipstream.protocol.config.KeyReference.Format;

/** The configuration reference of docs/operations.md, generated from the definition; a test compares the two. */
public final class ConfigReference {
    private static final String ANY_BROKERS = "broker1.example:9092,broker2.example:9092";
    private static final String HEADER = """
            # Configuration of the Slipstream proxy. Every key is here; what stands behind # is its default.
            # Also from the environment (listen.port is SLIPSTREAM_LISTEN_PORT) and from --set KEY=VALUE.
            # Check it with: slipstream proxy --config FILE --validate

            """;

    private ConfigReference() {}

    public static String as(Format format) {
        String reference = new KeyReference(ProxyKeys.DEFINITION, ANY_BROKERS).as(format);
        return format == Format.PROPERTIES ? HEADER + reference : reference;
    }
}
