// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
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
 * Creates the TLS engines of one end from Kafka's own {@code ssl.*} settings. {@link #reload} reads key and trust
 * stores that were replaced. Existing connections are not affected, and the previous stores stay in use if new ones
 * cannot be read.
 *
 * <p>Thread-safe.
 */
public final class TlsEngines {
    private static final Logger log = LoggerFactory.getLogger(TlsEngines.class);

    private final TlsDefinition keys;
    private final Map<String, Object> values;
    /** The key store and the trust store by configuration key. They may be replaced at any time. */
    private final Map<String, Path> files = new LinkedHashMap<>();

    private volatile SslEngineFactory factory;
    private String stamp;

    /** @throws ConfigException naming the key, if the stores cannot be used */
    public TlsEngines(TlsDefinition keys, Map<String, Object> values) {
        this.keys = keys;
        this.values = values;
        addFile(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG);
        addFile(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG);
        stamp = stamp();
        try {
            factory = load();
        } catch (RuntimeException e) {
            throw new ConfigException(keyToBlame(e) + ": " + FailureText.of(e));
        }
    }

    /** An engine for a connection to that host. The settings decide whether the certificate must match its name. */
    public SSLEngine towardsServer(String host, int port) {
        String identification = (String) values.get(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);
        return factory.createClientSslEngine(host, port, identification);
    }

    /** An engine for a client that connected from that address. */
    public SSLEngine towardsClient(String host, int port) {
        return factory.createServerSslEngine(host, port);
    }

    /** Reads the files if they have changed since the last call. Blocks on the file system. */
    public synchronized void reload() {
        String now = stamp();
        if (!now.equals(stamp) || isRebuiltByItself()) {
            read(now);
        }
    }

    /**
     * Reads the files, changed or not. Blocks on the file system.
     *
     * @return null if the files are in use now, else key and reason
     */
    public synchronized String readAgain() {
        return read(stamp());
    }

    private String read(String now) {
        // Also after a failure: invalid files are read again only after another change.
        stamp = now;
        SslEngineFactory before = factory;
        try {
            factory = load();
        } catch (RuntimeException e) {
            String failure = keyToBlame(e) + ": " + FailureText.of(e);
            log.warn("{}; new connections use the previous key and trust stores", failure);
            return failure;
        }
        Utils.closeQuietly(before, "TLS engine factory");
        log.info("TLS: {} reloaded", files);
        return null;
    }

    /** The keys and the files that they name. */
    @Override
    public String toString() {
        return files.toString();
    }

    /** A factory class of the user may detect changes of other sources than files. */
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

    private void addFile(String kafkasName) {
        Object location = values.get(kafkasName);
        if (location != null) {
            files.put(keys.key(kafkasName), Path.of(location.toString()));
        }
    }

    /** Two stamps are equal as long as no file was replaced, written, removed or added. */
    private String stamp() {
        return files.values().stream().map(TlsEngines::stampOf).toList().toString();
    }

    /** Inode, size and time. The inode detects a replacement within the same second. */
    private static String stampOf(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.fileKey() + " " + attributes.size() + " " + attributes.lastModifiedTime();
        } catch (IOException absent) {
            return "absent";
        }
    }

    /** The configuration key of the file that the failure names; else the one that its message suggests. */
    private String keyToBlame(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            for (Map.Entry<String, Path> file : files.entrySet()) {
                if (String.valueOf(cause.getMessage()).contains(file.getValue().toString())) {
                    return file.getKey();
                }
            }
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
