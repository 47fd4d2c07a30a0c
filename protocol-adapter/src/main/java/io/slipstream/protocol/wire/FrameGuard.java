// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;

/**
 * Tells whether Kafka's generated readers may be let loose on a frame. They allocate what a count in the frame claims,
 * so a few bytes could cost gigabytes (CVE-2026-111115 and its relatives); this guard walks the frame first, without
 * allocating, and accepts it only if every length and every count, of known and unknown tagged fields too, is borne out
 * by bytes that are there. What it refuses is not decoded by the proxy at all: the broker is asked to judge it.
 *
 * <p>Frames are given from the header on, without the size, as the bytes between a big-endian buffer's position and
 * limit, neither of which is moved. Bytes behind a complete message are accepted, as brokers do. Each instance keeps a
 * cursor and belongs to one thread.
 */
public final class FrameGuard {
    private final WireCursor cursor = new WireCursor();

    /** Whether header and body of this request are of an API and version known here and sound. */
    public boolean acceptsRequest(ByteBuffer frame) {
        if (frame.remaining() < RequestHeaderView.PREFIX_BYTES) {
            return false;
        }
        short apiKey = frame.getShort(frame.position());
        short version = frame.getShort(frame.position() + 2);
        byte headerVersion = ApiTable.requestHeaderVersion(apiKey, version);
        return headerVersion != ApiTable.UNKNOWN
                && accepts(frame, ApiTable.requestHeader(headerVersion), ApiTable.request(apiKey, version));
    }

    /** Whether header and body of this response to a request of that API and version are sound. */
    public boolean acceptsResponse(ByteBuffer frame, short apiKey, short version) {
        byte headerVersion = ApiTable.responseHeaderVersion(apiKey, version);
        return headerVersion != ApiTable.UNKNOWN
                && accepts(frame, ApiTable.responseHeader(headerVersion), ApiTable.response(apiKey, version));
    }

    private boolean accepts(ByteBuffer frame, WireType header, WireType body) {
        cursor.wrap(frame, frame.position(), frame.limit(), false);
        header.skip(cursor);
        body.skip(cursor);
        return !cursor.failed();
    }
}
