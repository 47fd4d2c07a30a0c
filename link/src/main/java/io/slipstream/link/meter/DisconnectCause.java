// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.meter;

/** Why a client connection ended; the lower-case name is the label of the metric. */
public enum DisconnectCause {
    /** The client closed it, which is the ordinary end. */
    CLIENT_CLOSED(true),
    /** The client's socket failed. */
    CLIENT_ERROR(true),
    /** The broker closed its side: idle, authentication failed, request refused, shutting down. */
    UPSTREAM_CLOSED(true),
    UPSTREAM_ERROR(false),
    UPSTREAM_UNREACHABLE(false),
    /** TLS with the broker failed: its certificate, the proxy's, or the broker has no TLS. */
    UPSTREAM_TLS(false),
    /** The broker's frames do not match the requests. */
    UPSTREAM_PROTOCOL(false),
    /** The frame size is larger than allowed, or negative. */
    FRAME_SIZE(false),
    /** The client uses TLS on a port without TLS. */
    TLS(false),
    /** The client does not use TLS on a port with TLS. */
    PLAINTEXT(false),
    /** The TLS handshake failed or timed out, or a later TLS record was invalid. */
    TLS_FAILED(false),
    /** Not a Kafka request. */
    MALFORMED_REQUEST(false),
    /** A request of an API or version that the proxy does not know; its answer could name brokers. */
    UNSUPPORTED_API(false),
    /** The fast path requested it: the broker would have closed the connection, or an outcome is unknown. */
    FAST_PATH(false),
    IDLE(true),
    /** The client took nothing for {@code client.stall.timeout.ms} while bytes waited for it. */
    STALLED(false),
    /** The number of connections has reached {@code max.connections}. */
    LIMIT(false),
    /** The broker of this connection is no longer in the cluster. */
    BROKER_GONE(false),
    DRAINED(true),
    DRAIN_DEADLINE(false),
    INTERNAL_ERROR(false);

    /** Whether the cause occurs in normal operation and is logged at debug only. */
    public final boolean ordinary;

    DisconnectCause(boolean ordinary) {
        this.ordinary = ordinary;
    }
}
