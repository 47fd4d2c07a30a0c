// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.tls;

import java.util.Map;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the TLS engines of one end from Kafka's own {@code ssl.*} settings. {@link #reload} takes up key and trust
 * stores that were replaced; connections that exist are not touched by it, and stores that cannot be read leave the
 * ones before in use.
 *
 * <p>Thread-safe.
 */
public final class TlsEngines {
    private static final Logger log = LoggerFactory.getLogger(TlsEngines.class);

    private final TlsDefinition keys;
    private final Map<String, Object> values;
    private final StoreFiles files;
    private volatile SslEngineFactory factory;
    private String stamp;

    /** @throws ConfigException naming the key, if the stores cannot be used */
    public TlsEngines(TlsDefinition keys, Map<String, Object> values) {
        this.keys = keys;
        this.values = values;
        files = new StoreFiles(keys, values);
        stamp = files.stamp();
        try {
            factory = load();
        } catch (RuntimeException e) {
            throw new ConfigException(keyToBlame(e) + ": " + FailureText.of(e));
        }
    }

    /** An engine for a connection to that host; whether its certificate must be of that name is configured. */
    public SSLEngine towardsServer(String host, int port) {
        String identification = (String) values.get(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);
        return factory.createClientSslEngine(host, port, identification);
    }

    /** An engine for a client that has connected from there. */
    public SSLEngine towardsClient(String host, int port) {
        return factory.createServerSslEngine(host, port);
    }

    /** Looks at the files, and reads them if they have changed since. Blocks on the file system. */
    public synchronized void reload() {
        String now = files.stamp();
        if (!now.equals(stamp) || isRebuiltByItself()) {
            read(now);
        }
    }

    /**
     * Reads the files, changed or not. Blocks on the file system. Null if they are in use from now on, else key and
     * reason.
     */
    public synchronized String readAgain() {
        return read(files.stamp());
    }

    private String read(String now) {
        // Also after a failure: what is broken is read again when it has changed again.
        stamp = now;
        SslEngineFactory before = factory;
        try {
            factory = load();
        } catch (RuntimeException e) {
            String failure = keyToBlame(e) + ": " + FailureText.of(e);
            log.warn("{}; new connections go on with what was read before", failure);
            return failure;
        }
        Utils.closeQuietly(before, "TLS engine factory");
        log.info("TLS: {} read again", files);
        return null;
    }

    /** The keys with the files that they name. */
    @Override
    public String toString() {
        return files.toString();
    }

    /** A factory of the user's own may know of other changes than those of files. */
    private boolean isRebuiltByItself() {
        return !(factory instanceof DefaultSslEngineFactory) && factory.shouldBeRebuilt(values);
    }

    private SslEngineFactory load() {
        Class<?> own = (Class<?>) values.get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG);
        SslEngineFactory loaded =
                own == null ? new DefaultSslEngineFactory() : (SslEngineFactory) Utils.newInstance(own);
        loaded.configure(values);
        return loaded;
    }

    private String keyToBlame(Throwable failure) {
        String named = files.keyNamedIn(failure);
        if (named != null) {
            return named;
        }
        String message = String.valueOf(failure.getMessage());
        boolean ofTrust = message.contains("trust");
        boolean ofKey = message.contains("key store") || message.contains("private key") || message.contains("PEM");
        if (ofTrust) {
            return keys.key(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG);
        }
        return keys.key(ofKey ? SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG : "ssl.*");
    }
}
