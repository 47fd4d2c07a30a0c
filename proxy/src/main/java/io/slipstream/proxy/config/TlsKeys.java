package io.slipstream.proxy.config;

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
 * Kafka's own {@code ssl.*} keys for one of the proxy's two sides: as they are for connections to brokers, where the proxy is a client, and behind {@code listen.} for the
 * ports on which it serves clients. They are defined by Kafka, so that formats, defaults and meaning are what users know.
 */
public enum TlsKeys {
    BROKERS("", ProxyKeys.SECURITY_PROTOCOL),
    CLIENTS("listen.", ProxyKeys.LISTEN_SECURITY_PROTOCOL);

    /** Whether clients must show a certificate; for {@link #CLIENTS}. */
    private static final String CLIENT_AUTH = BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG;

    private final String prefix;
    private final String protocolKey;
    private final ConfigDef definition;

    TlsKeys(String prefix, String protocolKey) {
        this.prefix = prefix;
        this.protocolKey = protocolKey;
        this.definition = definition(prefix);
    }

    private static ConfigDef definition(String prefix) {
        ConfigDef ofKafka = new ConfigDef();
        SslConfigs.addClientSslSupport(ofKafka);
        ConfigDef definition = new ConfigDef();
        for (ConfigKey key : ofKafka.configKeys().values()) {
            boolean ofClients = key.name.equals(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);
            if (prefix.isEmpty() || !ofClients) {
                definition.define(
                        prefix + key.name,
                        key.type,
                        key.defaultValue,
                        key.validator,
                        key.importance,
                        key.documentation);
            }
        }
        if (!prefix.isEmpty()) {
            definition.define(
                    prefix + CLIENT_AUTH,
                    ConfigDef.Type.STRING,
                    "none",
                    ConfigDef.ValidString.in("none", "requested", "required"),
                    ConfigDef.Importance.MEDIUM,
                    BrokerSecurityConfigs.SSL_CLIENT_AUTH_DOC);
        }
        return definition;
    }

    Set<String> names() {
        return definition.names();
    }

    /** One of Kafka's names as it is spelt on this side. */
    public String key(String kafkasName) {
        return prefix + kafkasName;
    }

    /**
     * The values by Kafka's own names, as its engine factories want them; null if this side does not speak TLS.
     *
     * @throws ConfigException naming the key
     */
    Map<String, Object> parse(Map<String, ?> settings, boolean tls) {
        if (!tls) {
            refuseUnused(settings);
            return null;
        }
        Map<String, Object> values = new HashMap<>();
        new AbstractConfig(definition, settings, false)
                .values()
                .forEach((key, value) -> values.put(key.substring(prefix.length()), value));
        if (this == CLIENTS && values.get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG) == null) {
            demandKeyStore(values);
        }
        return values;
    }

    /** Keys of somebody who believes that TLS is spoken. */
    private void refuseUnused(Map<String, ?> settings) {
        for (String key : settings.keySet()) {
            if (definition.names().contains(key)) {
                throw new ConfigException(key + " is set, but " + protocolKey + " is neither SSL nor SASL_SSL");
            }
        }
    }

    private void demandKeyStore(Map<String, Object> values) {
        boolean hasKey = values.get(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG) != null
                || values.get(SslConfigs.SSL_KEYSTORE_KEY_CONFIG) != null;
        if (!hasKey) {
            throw new ConfigException(protocolKey + " needs " + key(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG) + " or "
                    + key(SslConfigs.SSL_KEYSTORE_KEY_CONFIG) + ": clients are to see a certificate");
        }
        boolean trusts = values.get(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG) != null
                || values.get(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG) != null;
        if (!trusts && !"none".equals(values.get(CLIENT_AUTH))) {
            // Java's own trust store would let in whoever has a certificate of any public authority.
            throw new ConfigException(key(CLIENT_AUTH) + " needs " + key(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG)
                    + " or " + key(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG) + ": whose certificates are good?");
        }
    }

    /** What was given of these keys; secrets stay hidden. */
    Map<String, Object> describe(Map<String, ?> settings) {
        Map<String, Object> given = new TreeMap<>();
        definition.parse(settings).forEach((key, value) -> {
            if (settings.containsKey(key)) {
                given.put(key, value);
            }
        });
        return given;
    }
}
