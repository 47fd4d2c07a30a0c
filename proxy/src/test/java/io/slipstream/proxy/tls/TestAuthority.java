// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** A certificate authority for one test, as PEM files and as contexts of Java's own TLS. */
public final class TestAuthority {
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

    /** Issues a certificate to {@code name} for servers at that address, and for clients. */
    public X509Bundle issue(String name, String address) throws Exception {
        return valid().subject("CN=" + name).addSanIpAddress(address).buildIssuedBy(authority);
    }

    /** Key and certificate in one file, as Kafka's PEM key stores require. */
    public Path keyFile(String name, X509Bundle bundle) throws IOException {
        Path file = directory.resolve(name + ".pem");
        return Files.writeString(file, bundle.getPrivateKeyPEM() + bundle.getCertificatePathPEM());
    }

    public Path trustFile() throws IOException {
        return Files.writeString(directory.resolve("authority.pem"), authority.getCertificatePEM());
    }

    /** Presents that bundle's certificate, or none if null; trusts only this authority. */
    public SSLContext context(X509Bundle bundle) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager[] keys = bundle == null ? null : bundle.toKeyManagerFactory().getKeyManagers();
        context.init(keys, new TrustManager[] {authority.toTrustManager()}, null);
        return context;
    }
}
