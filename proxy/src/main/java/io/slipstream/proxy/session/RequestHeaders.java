// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The few fields of requests that the proxy reads in place, without Kafka's readers and without allocation. Buffers are
 * frames with their size prefix; offsets count from their reader index.
 *
 * <pre>
 *   0     4        6            8               12
 *   ├size─┼apiKey──┼apiVersion──┼correlationId──┼─clientId (int16 length, -1 = null)─┬─[tagged fields]─┬─body
 * </pre>
 */
public final class RequestHeaders {
    public static final int FIXED_BYTES = 12;
    private static final int CLIENT_ID_LENGTH = 12;
    private static final int CLIENT_ID = 14;
    /** For display, and for the proxy's own requests in the client's name; longer ones are truncated. */
    private static final int MOST_CLIENT_ID_BYTES = 255;
    /** The value of acks for {@link #producesWithoutResponse}. */
    private static final short ACKS_NONE = 0;

    private RequestHeaders() {}

    public static short apiKey(ByteBuf wire) {
        return wire.getShort(wire.readerIndex() + 4);
    }

    public static short apiVersion(ByteBuf wire) {
        return wire.getShort(wire.readerIndex() + 6);
    }

    static int correlationId(ByteBuf wire) {
        return wire.getInt(wire.readerIndex() + 8);
    }

    /** Empty if there is none, or the frame is too short. Allocates. */
    static String clientId(ByteBuf wire) {
        int end = behindClientId(wire);
        return end > wire.readableBytes() || end == CLIENT_ID
                ? ""
                : wire.toString(
                        wire.readerIndex() + CLIENT_ID,
                        Math.min(end - CLIENT_ID, MOST_CLIENT_ID_BYTES),
                        StandardCharsets.UTF_8);
    }

    /**
     * Whether a frame begins like a request of an existing API and version. Distinguishes the first request after SASL
     * tokens without a header (SaslHandshake v0) from those tokens. Tokens of PLAIN begin with text or NUL and text,
     * those of SCRAM and OAUTHBEARER with text, those of GSSAPI with an ASN.1 tag. None of these is an API key with an
     * existing version.
     */
    public static boolean looksLikeRequest(ByteBuf wire) {
        if (wire.readableBytes() < CLIENT_ID) {
            return false;
        }
        short apiKey = apiKey(wire);
        if (!ApiKeys.hasId(apiKey)) {
            return false;
        }
        short version = apiVersion(wire);
        short clientIdBytes = wire.getShort(wire.readerIndex() + CLIENT_ID_LENGTH);
        return version >= 0
                && version <= ApiKeys.forId(apiKey).latestVersion(true)
                && clientIdBytes >= -1
                && CLIENT_ID + clientIdBytes <= wire.readableBytes();
    }

    /**
     * Whether client id and tagged fields of a flexible header are valid; if not, a broker closes the connection in any
     * version.
     */
    static boolean hasFlexibleHeader(ByteBuf wire) {
        int end = wire.readableBytes();
        int at = behindClientId(wire);
        return at < end && skipTaggedFields(wire, at, end) >= 0;
    }

    /** Offset after the client id; beyond the end if the frame is too short. */
    private static int behindClientId(ByteBuf wire) {
        int end = wire.readableBytes();
        return end < CLIENT_ID
                ? end + 1
                : CLIENT_ID + Math.max(wire.getShort(wire.readerIndex() + CLIENT_ID_LENGTH), 0);
    }

    /**
     * Whether this Produce request has acks=0. False for a short or malformed frame, on which the broker closes the
     * connection.
     */
    public static boolean producesWithoutResponse(ByteBuf wire) {
        int end = wire.readableBytes();
        int base = wire.readerIndex();
        int at = behindClientId(wire);
        if (at > end) {
            return false;
        }
        short version = apiVersion(wire);
        if (version >= KafkaApi.PRODUCE_FLEXIBLE) {
            at = skipTaggedFields(wire, at, end);
            if (at < 0 || at >= end) {
                return false;
            }
            // Compact nullable string: length + 1, 0 for null.
            long packed = unsignedVarint(wire, at, end);
            long behind = (packed >>> 32) + Math.max((int) packed - 1L, 0);
            if (behind > end) {
                return false;
            }
            at = (int) behind;
        } else {
            if (at + 2 > end) {
                return false;
            }
            at += 2 + Math.max(wire.getShort(base + at), 0);
        }
        return at > 0 && at + 2 <= end && wire.getShort(base + at) == ACKS_NONE;
    }

    /** Offset after the tagged fields at {@code at}, or -1. */
    private static int skipTaggedFields(ByteBuf wire, int at, int end) {
        long packed = unsignedVarint(wire, at, end);
        int position = (int) (packed >>> 32);
        for (int fields = (int) packed; fields > 0; fields--) {
            packed = unsignedVarint(wire, position, end);
            packed = unsignedVarint(wire, (int) (packed >>> 32), end);
            int length = (int) packed;
            position = (int) (packed >>> 32) + length;
            if (length < 0 || position < 0 || position >= end) {
                return -1;
            }
        }
        return position;
    }

    /**
     * Upper half: offset after the number; lower half: the number. Beyond the end or overlong: offset {@code end},
     * number 0.
     */
    private static long unsignedVarint(ByteBuf wire, int at, int end) {
        int value = 0;
        int position = at;
        for (int shift = 0; shift <= 28 && position >= 0 && position < end; shift += 7) {
            byte b = wire.getByte(wire.readerIndex() + position++);
            value |= (b & 0x7f) << shift;
            if (b >= 0) {
                return ((long) position << 32) | (value & 0xffffffffL);
            }
        }
        return (long) end << 32;
    }
}
