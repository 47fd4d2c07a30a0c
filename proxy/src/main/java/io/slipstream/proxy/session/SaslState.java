// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;

/**
 * State of SASL on a connection, as far as the proxy needs it. After SaslHandshake version 0 the client sends tokens
 * without request headers, until its first ordinary request. While it authenticates or reauthenticates, the broker
 * would refuse the proxy's own requests.
 */
final class SaslState {
    private boolean rawTokens;
    /** Whether only the client's own tokens may be sent. */
    boolean authenticating;

    /** Whether the frame is a token without a header. Call once per frame. */
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
}
