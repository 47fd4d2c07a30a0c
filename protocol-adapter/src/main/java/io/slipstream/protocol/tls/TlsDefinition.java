// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.tls;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.internals.BrokerSecurityConfigs;

/**
 * Kafka's own {@code ssl.*} keys with a prefix, for a TLS client or a TLS server. Kafka defines them, so that formats,
 * defaults and meaning are those that users know. Immutable.
 */
public final class TlsDefinition {
    /** Whether clients must present a certificate; for servers. */
    public static final String CLIENT_AUTH = BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG;

    private final String prefix;
    private final ConfigDef definition;

    private TlsDefinition(String prefix, ConfigDef definition) {
        this.prefix = prefix;
        this.definition = definition;
    }

    /** Keys of a TLS client, which verifies the server's name. */
    public static TlsDefinition ofClient(String prefix) {
        return new TlsDefinition(prefix, definition(prefix, true));
    }

    /**
     * Keys of a TLS server.
     *
     * @param clientAuth allowed values of {@code ssl.client.auth}; the first is the default, and no other value means
     *     {@code none}
     */
    public static TlsDefinition ofServer(String prefix, String... clientAuth) {
        ConfigDef definition = definition(prefix, false)
                .define(
                        prefix + CLIENT_AUTH,
                        ConfigDef.Type.STRING,
                        clientAuth[0],
                        ConfigDef.ValidString.in(clientAuth),
                        ConfigDef.Importance.MEDIUM,
                        BrokerSecurityConfigs.SSL_CLIENT_AUTH_DOC);
        return new TlsDefinition(prefix, definition);
    }

    private static ConfigDef definition(String prefix, boolean connects) {
        ConfigDef ofKafka = new ConfigDef();
        SslConfigs.addClientSslSupport(ofKafka);
        ConfigDef definition = new ConfigDef();
        for (ConfigKey key : ofKafka.configKeys().values()) {
            if (connects || !key.name.equals(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG)) {
                definition.define(
                        prefix + key.name,
                        key.type,
                        key.defaultValue,
                        key.validator,
                        key.importance,
                        key.documentation);
            }
        }
        return definition;
    }

    public Set<String> names() {
        return definition.names();
    }

    /** The key with this prefix and Kafka's name. */
    public String key(String kafkasName) {
        return prefix + kafkasName;
    }

    /** A key of this definition that the settings contain; null if there is none. */
    public String anyOf(Map<String, ?> settings) {
        return definition.names().stream()
                .filter(settings::containsKey)
                .sorted()
                .findFirst()
                .orElse(null);
    }

    /**
     * The values by Kafka's own names, as its engine factories expect them.
     *
     * @throws ConfigException naming the key
     */
    public Map<String, Object> parse(Map<String, ?> settings) {
        Map<String, Object> values = new HashMap<>();
        new AbstractConfig(definition, settings, false)
                .values()
                .forEach((key, value) -> values.put(key.substring(prefix.length()), value));
        boolean asksForCertificates = values.get(CLIENT_AUTH) != null && !"none".equals(values.get(CLIENT_AUTH));
        if (asksForCertificates && !hasTrust(values)) {
            // Java's default trust store would admit certificates of every public authority.
            throw new ConfigException(key(CLIENT_AUTH) + " needs " + key(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG)
                    + " or " + key(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG)
                    + ", which name the trusted certificates");
        }
        return values;
    }

    /** Whether parsed values name a certificate to present. */
    public static boolean hasIdentity(Map<String, ?> values) {
        return isOwnFactory(values)
                || values.get(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG) != null
                || values.get(SslConfigs.SSL_KEYSTORE_KEY_CONFIG) != null;
    }

    /** Whether parsed values name the trusted certificates. Otherwise they are those of public authorities. */
    public static boolean hasTrust(Map<String, ?> values) {
        return isOwnFactory(values)
                || values.get(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG) != null
                || values.get(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG) != null;
    }

    /** A factory class of the user determines keys and trust by itself. */
    private static boolean isOwnFactory(Map<String, ?> values) {
        return values.get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG) != null;
    }

    /** The values given for these keys; secrets are hidden. */
    public Map<String, Object> describe(Map<String, ?> settings) {
        Map<String, Object> given = new TreeMap<>(definition.parse(settings));
        given.keySet().retainAll(settings.keySet());
        return given;
    }
}
