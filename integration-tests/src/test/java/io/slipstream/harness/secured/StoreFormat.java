// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.secured;

/** Format of keys and certificates in files and in Kafka's settings. */
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
