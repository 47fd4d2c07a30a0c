// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import io.slipstream.protocol.tls.TlsDefinition;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;

/**
 * Kafka's own {@code ssl.*} keys for each side of the proxy: without a prefix for connections to brokers, where the
 * proxy is a client; with {@code listen.} for the ports on which it serves clients; with {@code rdma.control.} for
 * connections to plugins.
 */
public enum TlsKeys {
    BROKERS(TlsDefinition.ofClient(""), ProxyKeys.SECURITY_PROTOCOL, "neither SSL nor SASL_SSL"),
    CLIENTS(
            TlsDefinition.ofServer("listen.", "none", "requested", "required"),
            ProxyKeys.LISTEN_SECURITY_PROTOCOL,
            "neither SSL nor SASL_SSL"),
    PLUGINS(TlsDefinition.ofClient("rdma.control."), ProxyKeys.RDMA_CONTROL_SECURITY_PROTOCOL, "not SSL");

    public final TlsDefinition definition;
    private final String protocolKey;
    private final String withoutTls;

    TlsKeys(TlsDefinition definition, String protocolKey, String withoutTls) {
        this.definition = definition;
        this.protocolKey = protocolKey;
        this.withoutTls = withoutTls;
    }

    /**
     * The values by Kafka's own names, as its engine factories expect them; null if this side has no TLS.
     *
     * @throws ConfigException naming the key
     */
    Map<String, Object> parse(Map<String, ?> settings, boolean tls) {
        if (!tls) {
            // The presence of such a key shows that the user expects TLS.
            String unused = definition.anyOf(settings);
            if (unused != null) {
                throw new ConfigException(unused + " is set, but " + protocolKey + " is " + withoutTls);
            }
            return null;
        }
        Map<String, Object> values = definition.parse(settings);
        if (this == CLIENTS && !TlsDefinition.hasIdentity(values)) {
            throw new ConfigException(protocolKey + " needs " + definition.key(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG)
                    + " or " + definition.key(SslConfigs.SSL_KEYSTORE_KEY_CONFIG)
                    + ", because the proxy must present a certificate to clients");
        }
        return values;
    }
}
