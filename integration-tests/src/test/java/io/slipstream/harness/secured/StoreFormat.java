// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.secured;

/** In which format keys and certificates are written and named to Kafka. */
public enum StoreFormat {
    PEM(".pem"),
    JKS(".jks"),
    PKCS12(".p12");

    private final String suffix;

    StoreFormat(String suffix) {
        this.suffix = suffix;
    }

    String suffix() {
        return suffix;
    }
}
