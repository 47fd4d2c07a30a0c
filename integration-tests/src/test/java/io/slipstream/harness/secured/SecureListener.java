// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.secured;

import java.util.Locale;

/** The listeners of a {@link SecureBroker} besides PLAINTEXT. */
public enum SecureListener {
    /** TLS; clients stay anonymous. */
    TLS("SSL"),
    /** TLS with client certificates; the principal is the certificate's common name. */
    MUTUAL("SSL"),
    /** SASL without encryption. */
    SASL("SASL_PLAINTEXT"),
    /** SASL within TLS. */
    SASL_TLS("SASL_SSL");

    private final String securityProtocol;

    SecureListener(String securityProtocol) {
        this.securityProtocol = securityProtocol;
    }

    /** Returns Kafka's name. */
    public String securityProtocol() {
        return securityProtocol;
    }

    public boolean encrypts() {
        return this != SASL;
    }

    public boolean requiresSasl() {
        return this == SASL || this == SASL_TLS;
    }

    /** Prefix of the broker's keys for this listener. */
    String prefix() {
        return "listener.name." + name().toLowerCase(Locale.ROOT) + ".";
    }
}
