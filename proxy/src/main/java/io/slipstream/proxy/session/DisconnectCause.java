// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import java.util.Locale;

/** Why a client connection ended; the lower-case name is the metric's label. */
public enum DisconnectCause {
    /** The client closed it: the ordinary end. */
    CLIENT_CLOSED(true),
    /** The client's socket failed. */
    CLIENT_ERROR(true),
    /** The broker closed its side: idle, authentication failed, request refused, shutting down. */
    UPSTREAM_CLOSED(true),
    UPSTREAM_ERROR(false),
    UPSTREAM_UNREACHABLE(false),
    /** TLS with the broker failed: its certificate, the proxy's, or the broker does not speak it. */
    UPSTREAM_TLS(false),
    /** The broker's frames do not match the requests. */
    UPSTREAM_PROTOCOL(false),
    /** Larger than allowed, or negative. */
    FRAME_SIZE(false),
    /** It speaks TLS on a port that does not. */
    TLS(false),
    /** It does not speak TLS on a port that does. */
    PLAINTEXT(false),
    /** The TLS handshake failed or took too long, or what came later was not what was agreed. */
    TLS_FAILED(false),
    /** Not a Kafka request. */
    MALFORMED_REQUEST(false),
    /** The fast path asked for it: the broker would have closed, or an outcome is unknown. */
    FAST_PATH(false),
    IDLE(true),
    /** There are as many connections as {@code max.connections} allows. */
    LIMIT(false),
    /** The broker this connection stands for is no longer in the cluster. */
    BROKER_GONE(false),
    DRAINED(true),
    DRAIN_DEADLINE(false),
    INTERNAL_ERROR(false);

    private final boolean ordinary;

    DisconnectCause(boolean ordinary) {
        this.ordinary = ordinary;
    }

    /** Whether it happens in normal operation and is logged at debug only. */
    boolean isOrdinary() {
        return ordinary;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
