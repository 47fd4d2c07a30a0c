// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

/** Keys of the Kafka APIs that the proxy handles specially; all others are opaque to it. */
public final class KafkaApi {
    public static final short PRODUCE = 0;
    public static final short FETCH = 1;
    static final short METADATA = 3;
    static final short SASL_HANDSHAKE = 17;
    static final short API_VERSIONS = 18;
    static final short SASL_AUTHENTICATE = 36;

    private KafkaApi() {}
}
