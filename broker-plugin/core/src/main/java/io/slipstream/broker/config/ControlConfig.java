// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import io.slipstream.protocol.config.KeyDefinitions;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.tls.TlsDefinition;
import io.slipstream.rdma.LocalPeers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;

/**
 * Settings of the control channel: its TCP address and the peers that it admits.
 *
 * @param givenAddress HOST:PORT of the TCP listener as given; null if the key is not set, empty for no listener
 * @param peers the users whose processes may connect over the Unix sockets
 * @param secret the secret that peers of the TCP listener prove; null for none
 * @param tls settings of the TCP listener's TLS under Kafka's own names; null for a plain listener
 */
public record ControlConfig(String givenAddress, LocalPeers peers, ControlSecret secret, Map<String, Object> tls) {
    private static final String DEFAULT_ADDRESS = "127.0.0.1:9494";

    /** Admits only proxies of the broker's own user on this host. The provider decides about TCP. */
    public static final ControlConfig DEFAULT = new ControlConfig(null, LocalPeers.OWN, null, null);

    static ControlConfig of(Map<String, Object> values, Map<String, ?> brokerOriginals) {
        ControlSecret secret = KeyDefinitions.secret(
                PluginKeys.CONTROL_SECRET,
                (Password) values.get(PluginKeys.CONTROL_SECRET),
                PluginKeys.CONTROL_SECRET_FILE,
                (String) values.get(PluginKeys.CONTROL_SECRET_FILE));
        return new ControlConfig(
                (String) values.get(PluginKeys.CONTROL_ADDRESS), peers(values), secret, tls(brokerOriginals));
    }

    private static Map<String, Object> tls(Map<String, ?> brokerOriginals) {
        TlsDefinition keys = PluginKeys.CONTROL_TLS;
        Map<String, Object> given = new HashMap<>(brokerOriginals);
        given.keySet().retainAll(keys.names());
        if (given.isEmpty()) {
            return null;
        }
        Map<String, Object> values = keys.parse(given);
        if (!TlsDefinition.hasIdentity(values)) {
            // A key of slipstream.control.ssl.* without a certificate is a mistake: the operator expects TLS.
            throw new ConfigException(keys.anyOf(given) + " is set, but neither "
                    + keys.key(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG) + " nor "
                    + keys.key(SslConfigs.SSL_KEYSTORE_KEY_CONFIG) + ": without a certificate there is no TLS");
        }
        return values;
    }

    @SuppressWarnings("unchecked")
    private static LocalPeers peers(Map<String, Object> values) {
        List<String> users = (List<String>) values.get(PluginKeys.CONTROL_USERS);
        String mode = (String) values.get(PluginKeys.CONTROL_SOCKET_MODE);
        String group = (String) values.get(PluginKeys.CONTROL_SOCKET_GROUP);
        // Check the keys one by one, so that the message names the wrong one.
        try {
            LocalPeers.of(users, mode, "");
        } catch (IllegalArgumentException e) {
            throw new ConfigException(PluginKeys.CONTROL_USERS, users, e.getMessage());
        }
        try {
            return LocalPeers.of(users, mode, group);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(PluginKeys.CONTROL_SOCKET_GROUP, group, e.getMessage());
        }
    }

    /** Returns the address of the TCP listener for this provider, or null for no listener. */
    public HostPort address(String usedProvider) {
        String byDefault = usedProvider.equals("verbs") ? DEFAULT_ADDRESS : "";
        return PluginConfig.address(givenAddress == null ? byDefault : givenAddress);
    }
}
