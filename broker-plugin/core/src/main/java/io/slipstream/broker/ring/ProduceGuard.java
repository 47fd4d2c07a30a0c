// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.nio.ByteBuffer;

/**
 * Checks the header of a received frame before Kafka's generated readers parse it. Before 4.3.2 these readers allocate
 * an object for each tagged field that a header claims to have (CVE-2026-111115). A frame of a few megabytes could then
 * take gigabytes of heap. Request headers have no tagged fields today, so the check allows few.
 */
public final class ProduceGuard {
    public static final short PRODUCE = 0;
    private static final short FIRST_FLEXIBLE_VERSION = 9;
    private static final int MAX_HEADER_TAGGED_FIELDS = 127;
    private static final int CLIENT_ID_OFFSET = 8;

    private ProduceGuard() {}

    /**
     * Returns null if the frame's header is that of a Produce request and safe to parse, else the reason. Does not move
     * the position.
     */
    public static String refusal(ByteBuffer frame) {
        int limit = frame.limit();
        if (limit < CLIENT_ID_OFFSET + Short.BYTES) {
            return "a frame of " + limit + " bytes has no request header";
        }
        short apiKey = frame.getShort(0);
        if (apiKey != PRODUCE) {
            return "api key " + apiKey + " is not allowed in the ring";
        }
        short apiVersion = frame.getShort(2);
        if (apiVersion < FIRST_FLEXIBLE_VERSION) {
            return null;
        }
        int clientIdBytes = Math.max(0, frame.getShort(CLIENT_ID_OFFSET));
        int countOffset = CLIENT_ID_OFFSET + Short.BYTES + clientIdBytes;
        if (countOffset >= limit) {
            return "the request header is truncated";
        }
        // One byte holds every allowed count. A larger count has the continuation bit set (varint).
        int count = frame.get(countOffset) & 0xff;
        return count > MAX_HEADER_TAGGED_FIELDS ? "the request header has too many tagged fields" : null;
    }
}
