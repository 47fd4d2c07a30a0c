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
    /** For those who look on; longer ones are cut. */
    private static final int MOST_CLIENT_ID_BYTES = 128;
    /** What {@link #producesWithoutResponse} compares: acks of a producer that wants no answer. */
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
     * Whether a frame begins like a request of an API and version that exist. Tells the first request after SASL tokens
     * without a frame of their own (SaslHandshake v0) from those tokens: PLAIN's begin with text or NUL and text,
     * SCRAM's and OAUTHBEARER's with text, GSSAPI's with an ASN.1 tag, none of which is an API key followed by a
     * version this API has.
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
     * Whether client id and tagged fields of a flexible header are sound; a broker closes on one that is not, whatever
     * the API's version.
     */
    static boolean hasFlexibleHeader(ByteBuf wire) {
        int end = wire.readableBytes();
        int at = behindClientId(wire);
        return at < end && skipTaggedFields(wire, at, end) >= 0;
    }

    /** Offset behind the client id; past the end if the frame is too short to tell. */
    private static int behindClientId(ByteBuf wire) {
        int end = wire.readableBytes();
        return end < CLIENT_ID
                ? end + 1
                : CLIENT_ID + Math.max(wire.getShort(wire.readerIndex() + CLIENT_ID_LENGTH), 0);
    }

    /** Whether this Produce request has acks=0. A frame too short or broken to tell counts as not; the broker will close on it. */
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

    /** Offset behind the tagged fields at {@code at}, or -1. */
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
     * Upper half: offset behind the number; lower half: the number. Past the end or overlong: offset {@code end},
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
