// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;

/**
 * Checks responses before Kafka's generated readers decode them. Those readers allocate what a count in the frame
 * states, so that a few bytes can cost gigabytes (CVE-2026-111115 and related ones). The guard walks the frame without
 * allocation. It accepts the frame only if bytes exist for every length and count, including known and unknown tagged
 * fields. The proxy neither decodes nor forwards a refused response.
 *
 * <p>Frames start at the header, without the size, and are the bytes between position and limit of a big-endian buffer.
 * The guard moves neither. It accepts bytes after a complete message, as brokers do. Not thread-safe: an instance keeps
 * a cursor.
 */
public final class FrameGuard {
    private final WireCursor cursor = new WireCursor();
    /** Whether the body that was accepted last has tagged fields at its end. */
    public boolean hasTags;

    /** Whether header and body of this response to a request of that API and version are valid. */
    public boolean acceptsResponse(ByteBuffer frame, short apiKey, short version) {
        byte headerVersion = ApiTable.responseHeaderVersion(apiKey, version);
        if (headerVersion == ApiTable.UNKNOWN) {
            return false;
        }
        cursor.wrap(frame, frame.position(), frame.limit(), false);
        ApiTable.RESPONSE_HEADERS[headerVersion].skip(cursor);
        hasTags = ApiTable.response(apiKey, version).skipAndTell(cursor);
        return !cursor.failed();
    }
}
