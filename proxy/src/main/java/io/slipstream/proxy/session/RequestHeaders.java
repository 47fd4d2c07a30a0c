// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.protocol.wire.WireCursor;
import io.slipstream.proxy.buffer.PooledMemory;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The few fields of requests that the proxy reads in place, without Kafka's readers and without allocation. Buffers are
 * frames with their size prefix; offsets count from their reader index.
 *
 * <pre>
 *   0     4        6            8               12
 *   ├size─┼apiKey──┼apiVersion──┼correlationId──┼─clientId (int16 length, -1 = null)─┬─[tagged fields]─┬─body
 * </pre>
 *
 * An instance belongs to one event loop.
 */
public final class RequestHeaders {
    public static final int FIXED_BYTES = 12;

    private static final int CLIENT_ID_LENGTH = 12;
    private static final int CLIENT_ID = 14;
    /** For display, and for the proxy's own requests in the client's name; longer ones are truncated. */
    private static final int MOST_CLIENT_ID_CHARS = 255;

    private final RequestHeaderView header = new RequestHeaderView();
    private final WireCursor cursor = new WireCursor();

    public static short apiKey(ByteBuf wire) {
        return wire.getShort(wire.readerIndex() + 4);
    }

    public static short apiVersion(ByteBuf wire) {
        return wire.getShort(wire.readerIndex() + 6);
    }

    /** Reads the header of the slot's frame, which has at least {@link #FIXED_BYTES} with its size, into the slot. */
    public void read(ByteBuffer frame, RequestSlot slot) {
        header.wrap(frame);
        slot.apiKey = header.apiKey;
        slot.apiVersion = header.apiVersion;
        slot.correlationId = header.correlationId;
        slot.bodyPosition = header.bodyPosition < 0 ? -1 : header.bodyPosition - frame.position();
    }

    /** That of the header read last; empty if there is none, or the frame is too short. Allocates. */
    String clientId() {
        String id = header.clientId();
        return id == null ? "" : id.substring(0, Math.min(id.length(), MOST_CLIENT_ID_CHARS));
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
    boolean hasFlexibleHeader(ByteBuf wire) {
        ByteBuffer frame = PooledMemory.frame(wire);
        cursor.wrap(frame, frame.position() + RequestHeaderView.PREFIX_BYTES, frame.limit(), true);
        cursor.skip(Math.max(0, cursor.classicStringLength()));
        cursor.skipTags();
        return !cursor.failed();
    }
}
