// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.secured;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/**
 * A certificate authority and its certificates, written to a directory in each format. {@code NAME.pem}, {@code
 * NAME.jks} and {@code NAME.p12} hold a key and its certificates, {@code authority.*} the trust anchor. Not safe for
 * concurrent use.
 */
public final class Certificates {
    /** Password of every store. */
    public static final String PASSWORD = "slipstream";

    private static final String AUTHORITY = "authority";
    private static final String ALIAS = "key";

    private final Path directory;
    private final X509Bundle authority;

    private Certificates(Path directory, X509Bundle authority) {
        this.directory = directory;
        this.authority = authority;
    }

    /** Creates an authority. */
    public static Certificates in(Path directory) {
        try {
            Files.createDirectories(directory);
            X509Bundle authority = valid(new CertificateBuilder())
                    .subject("CN=authority of tests")
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
            Certificates certificates = new Certificates(directory, authority);
            certificates.writeTrust();
            return certificates;
        } catch (Exception e) {
            throw new IllegalStateException("cannot make certificates in " + directory, e);
        }
    }

    /**
     * Certifies {@code name} as {@code CN=name} for servers on 127.0.0.1 and localhost, and for clients. Overwrites an
     * earlier certificate.
     */
    public Certificates issue(String name) {
        return issue(name, "127.0.0.1", "localhost");
    }

    /** As {@link #issue(String)}, for servers with only this address and name. */
    public Certificates issue(String name, String address, String host) {
        try {
            X509Bundle bundle = valid(new CertificateBuilder())
                    .subject("CN=" + name)
                    .addSanIpAddress(address)
                    .addSanDnsName(host)
                    .buildIssuedBy(authority);
            writeIdentity(name, bundle);
            return this;
        } catch (Exception e) {
            throw new IllegalStateException("cannot make a certificate of " + name + " in " + directory, e);
        }
    }

    public Path file(String name, StoreFormat format) {
        return directory.resolve(name + format.suffix());
    }

    /** Returns Kafka's {@code ssl.keystore.*} and {@code ssl.key.password} for {@code name}. */
    public Map<String, String> identity(String name, StoreFormat format) {
        Map<String, String> keys = new HashMap<>();
        keys.put("ssl.keystore.type", format.name());
        keys.put("ssl.keystore.location", file(name, format).toString());
        if (format != StoreFormat.PEM) {
            keys.put("ssl.keystore.password", PASSWORD);
            keys.put("ssl.key.password", PASSWORD);
        }
        return keys;
    }

    /** Returns Kafka's {@code ssl.truststore.*}, which trust only this authority. */
    public Map<String, String> trust(StoreFormat format) {
        Map<String, String> keys = new HashMap<>();
        keys.put("ssl.truststore.type", format.name());
        keys.put("ssl.truststore.location", file(AUTHORITY, format).toString());
        if (format != StoreFormat.PEM) {
            keys.put("ssl.truststore.password", PASSWORD);
        }
        return keys;
    }

    private static CertificateBuilder valid(CertificateBuilder builder) {
        Instant now = Instant.now();
        return builder.notBefore(now.minus(1, ChronoUnit.DAYS))
                .notAfter(now.plus(30, ChronoUnit.DAYS))
                .ecp256();
    }

    private void writeTrust() throws Exception {
        Files.writeString(file(AUTHORITY, StoreFormat.PEM), authority.getCertificatePEM());
        for (StoreFormat format : new StoreFormat[] {StoreFormat.JKS, StoreFormat.PKCS12}) {
            KeyStore store = emptyStore(format);
            store.setCertificateEntry(AUTHORITY, authority.getCertificate());
            write(store, file(AUTHORITY, format));
        }
    }

    private void writeIdentity(String name, X509Bundle bundle) throws Exception {
        Files.writeString(file(name, StoreFormat.PEM), bundle.getPrivateKeyPEM() + bundle.getCertificatePathPEM());
        for (StoreFormat format : new StoreFormat[] {StoreFormat.JKS, StoreFormat.PKCS12}) {
            KeyStore store = emptyStore(format);
            Certificate[] path = bundle.getCertificatePath();
            store.setKeyEntry(ALIAS, bundle.getKeyPair().getPrivate(), PASSWORD.toCharArray(), path);
            write(store, file(name, format));
        }
    }

    private static KeyStore emptyStore(StoreFormat format) throws Exception {
        KeyStore store = KeyStore.getInstance(format.name());
        store.load(null, null);
        return store;
    }

    private static void write(KeyStore store, Path file) throws Exception {
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
    }
}
