// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.client;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * A certificate authority for one test. It gives certificates as settings of a broker and as contexts of Java's own
 * TLS.
 */
public final class TestAuthority {
    private static final String PREFIX = "slipstream.control.ssl.";

    private final Path directory;
    private final X509Bundle authority;

    public TestAuthority(Path directory) throws Exception {
        this.directory = directory;
        authority =
                valid().subject("CN=authority").setIsCertificateAuthority(true).buildSelfSigned();
    }

    private static CertificateBuilder valid() {
        Instant now = Instant.now();
        return new CertificateBuilder()
                .ecp256()
                .notBefore(now.minus(1, ChronoUnit.DAYS))
                .notAfter(now.plus(1, ChronoUnit.DAYS));
    }

    public X509Bundle issue(String name) throws Exception {
        return valid().subject("CN=" + name).addSanIpAddress("127.0.0.1").buildIssuedBy(authority);
    }

    /** Returns the key store settings of the control channel. */
    public Map<String, Object> identity(X509Bundle bundle) throws Exception {
        Path file = Files.createTempFile(directory, "key", ".pem");
        Files.writeString(file, bundle.getPrivateKeyPEM() + bundle.getCertificatePathPEM());
        return new HashMap<>(Map.of(PREFIX + "keystore.type", "PEM", PREFIX + "keystore.location", file.toString()));
    }

    /** Returns the trust store settings of the control channel. */
    public Map<String, Object> trust() throws Exception {
        Path file = Files.createTempFile(directory, "trust", ".pem");
        Files.writeString(file, authority.getCertificatePEM());
        return Map.of(PREFIX + "truststore.type", "PEM", PREFIX + "truststore.location", file.toString());
    }

    /** Returns key and trust store settings of a broker on 127.0.0.1, both of this authority. */
    public Map<String, Object> broker() throws Exception {
        Map<String, Object> settings = identity(issue("broker"));
        settings.putAll(trust());
        return settings;
    }

    /** Makes a context that shows that bundle's certificate, or none if null, and trusts only this authority. */
    public SSLContext context(X509Bundle bundle) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager[] keys = bundle == null ? null : bundle.toKeyManagerFactory().getKeyManagers();
        context.init(keys, new TrustManager[] {authority.toTrustManager()}, null);
        return context;
    }
}
