// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;

/**
 * Where a connection stands in SASL, as far as a bystander must know. After SaslHandshake version 0 the client sends
 * tokens without request headers, until its first ordinary request. While it authenticates (again), requests of the
 * proxy's own would be refused.
 */
final class SaslState {
    private boolean rawTokens;
    private boolean authenticating;

    /** Whether the frame is a token without a header. Call once for each frame. */
    boolean isRawToken(ByteBuf wire) {
        if (rawTokens && RequestHeaders.looksLikeRequest(wire)) {
            rawTokens = false;
        }
        return rawTokens;
    }

    void onRequest(short apiKey, short apiVersion) {
        authenticating = apiKey == KafkaApi.SASL_HANDSHAKE || apiKey == KafkaApi.SASL_AUTHENTICATE;
        rawTokens = apiKey == KafkaApi.SASL_HANDSHAKE && apiVersion == 0;
    }

    /** Whether anything but the client's own tokens is out of place. */
    boolean isAuthenticating() {
        return authenticating;
    }
}
