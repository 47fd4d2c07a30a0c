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
 * Kafka's own {@code ssl.*} keys behind a prefix, for an end that connects or one that is connected to. They are
 * defined by Kafka, so that formats, defaults and meaning are what users know. Immutable.
 */
public final class TlsDefinition {
    /** Whether peers must show a certificate; for servers. */
    public static final String CLIENT_AUTH = BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG;

    private final String prefix;
    private final ConfigDef definition;

    private TlsDefinition(String prefix, ConfigDef definition) {
        this.prefix = prefix;
        this.definition = definition;
    }

    /** For who connects, and checks the name of whom it connects to. */
    public static TlsDefinition ofClient(String prefix) {
        return new TlsDefinition(prefix, definition(prefix, true));
    }

    /**
     * @param clientAuth allowed values of {@code ssl.client.auth}; the first is its default, and none of its other
     *     values means {@code none}
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

    /** One of Kafka's names behind this prefix. */
    public String key(String kafkasName) {
        return prefix + kafkasName;
    }

    /** One of these keys that the settings have; null if none. */
    public String anyOf(Map<String, ?> settings) {
        return definition.names().stream()
                .filter(settings::containsKey)
                .sorted()
                .findFirst()
                .orElse(null);
    }

    /**
     * The values by Kafka's own names, as its engine factories want them.
     *
     * @throws ConfigException naming the key
     */
    public Map<String, Object> parse(Map<String, ?> settings) {
        Map<String, Object> values = new HashMap<>();
        new AbstractConfig(definition, settings, false)
                .values()
                .forEach((key, value) -> values.put(key.substring(prefix.length()), value));
        boolean asksForCertificates = values.get(CLIENT_AUTH) != null && !"none".equals(values.get(CLIENT_AUTH));
        if (asksForCertificates && !isOwnFactory(values) && !hasTrust(values)) {
            // Java's own trust store would let in whoever has a certificate of any public authority.
            throw new ConfigException(key(CLIENT_AUTH) + " needs " + key(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG)
                    + " or " + key(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG) + ": whose certificates are good?");
        }
        return values;
    }

    /** Whether parsed values say which certificate to show, in one way or another. */
    public static boolean hasIdentity(Map<String, ?> values) {
        return isOwnFactory(values)
                || values.get(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG) != null
                || values.get(SslConfigs.SSL_KEYSTORE_KEY_CONFIG) != null;
    }

    private static boolean hasTrust(Map<String, ?> values) {
        return values.get(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG) != null
                || values.get(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG) != null;
    }

    /** The user's own factory finds keys and trust where it likes. */
    private static boolean isOwnFactory(Map<String, ?> values) {
        return values.get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG) != null;
    }

    /** What was given of these keys; secrets stay hidden. */
    public Map<String, Object> describe(Map<String, ?> settings) {
        Map<String, Object> given = new TreeMap<>();
        definition.parse(settings).forEach((key, value) -> {
            if (settings.containsKey(key)) {
                given.put(key, value);
            }
        });
        return given;
    }
}
