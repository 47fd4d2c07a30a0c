// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.protocol.ring.RingApis;
import java.nio.ByteBuffer;

/**
 * Checks the header of a received frame before Kafka's generated readers parse it. Before 4.3.2 these readers allocate
 * an object for each tagged field that a header claims to have (CVE-2026-111115). A frame of a few megabytes could then
 * take gigabytes of heap. Request headers have no tagged fields today, so the check allows few.
 */
public final class RingGuard {
    private static final int MAX_HEADER_TAGGED_FIELDS = 127;
    private static final int CLIENT_ID_OFFSET = 8;

    private RingGuard() {}

    /**
     * Returns null if the ring carries requests of the frame's API and version and its header is safe to parse, else
     * the reason. Requests of brokers need a connection of brokers. Does not move the position.
     */
    public static String refusal(ByteBuffer frame, boolean isOfBrokers) {
        int limit = frame.limit();
        if (limit < CLIENT_ID_OFFSET + Short.BYTES) {
            return "a frame of " + limit + " bytes has no request header";
        }
        short apiKey = frame.getShort(0);
        short apiVersion = frame.getShort(2);
        if (!(isOfBrokers ? RingApis.mayCarry(apiKey, apiVersion) : RingApis.carries(apiKey, apiVersion))) {
            return "api key " + apiKey + " version " + apiVersion + " is not allowed in the ring";
        }
        if (!RingApis.isFlexible(apiKey, apiVersion)) {
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
