// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;

/**
 * Checks frames before Kafka's generated readers decode them. Those readers allocate what a count in the frame states,
 * so that a few bytes can cost gigabytes (CVE-2026-111115 and related ones). The guard walks the frame without
 * allocation. It accepts the frame only if bytes exist for every length and count, including known and unknown tagged
 * fields. The proxy does not decode refused frames; the broker decides about them.
 *
 * <p>Frames start at the header, without the size, and are the bytes between position and limit of a big-endian buffer.
 * The guard moves neither. It accepts bytes after a complete message, as brokers do. Not thread-safe: an instance keeps
 * a cursor.
 */
public final class FrameGuard {
    private final WireCursor cursor = new WireCursor();
    private boolean hasTags;

    /** Whether header and body of this request are valid and of a known API and version. */
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

    /** Whether header and body of this response to a request of that API and version are valid. */
    public boolean acceptsResponse(ByteBuffer frame, short apiKey, short version) {
        byte headerVersion = ApiTable.responseHeaderVersion(apiKey, version);
        return headerVersion != ApiTable.UNKNOWN
                && accepts(frame, ApiTable.responseHeader(headerVersion), ApiTable.response(apiKey, version));
    }

    /** Whether the body that was accepted last has tagged fields at its end. */
    public boolean hasTags() {
        return hasTags;
    }

    private boolean accepts(ByteBuffer frame, WireType header, WireType.StructType body) {
        cursor.wrap(frame, frame.position(), frame.limit(), false);
        header.skip(cursor);
        hasTags = body.skipAndTell(cursor);
        return !cursor.failed();
    }
}
