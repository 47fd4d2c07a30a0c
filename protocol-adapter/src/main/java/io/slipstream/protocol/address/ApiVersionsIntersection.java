// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Limits the versions that an ApiVersions response offers to those that the proxy can decode. It lowers, in place, the
 * highest version of each API that the proxy must decode. Lowest versions, unknown APIs, features and tagged fields
 * stay as the broker sent them (Produce states 0 for old clients, although brokers serve it from 3). Not thread-safe.
 */
public final class ApiVersionsIntersection {
    private static final short FIRST_FLEXIBLE = 3;
    /** By API key, because a lookup of Kafka's {@link ApiKeys} allocates. */
    private static final short[] HIGHEST_KNOWN = table();

    private final WireCursor cursor = new WireCursor();

    /**
     * Lowers the versions in an ApiVersions response.
     *
     * @param response from its header on, without the size field, between position and limit; changed in place
     * @param requestVersion version of the ApiVersions request
     * @return number of APIs that were lowered; -1 if the frame is malformed or of an unknown version, and then
     *     unchanged
     */
    public int intersect(ByteBuffer response, short requestVersion) {
        return walk(response, requestVersion, false) < 0 ? -1 : walk(response, requestVersion, true);
    }

    private int walk(ByteBuffer response, short requestVersion, boolean write) {
        int start = response.position();
        if (response.remaining() < 6 || requestVersion < 0 || requestVersion > ApiKeys.API_VERSIONS.latestVersion()) {
            return -1;
        }
        // A broker that does not know the request's version answers with version 0.
        boolean tooNew = response.getShort(start + 4) == Errors.UNSUPPORTED_VERSION.code();
        boolean flexible = requestVersion >= FIRST_FLEXIBLE && !tooNew;
        WireCursor in = cursor.wrap(response, start + 6, response.limit(), flexible);
        int count = in.nonNullArrayCount(6);
        int lowered = 0;
        for (int i = 0; i < count && !in.failed(); i++) {
            short apiKey = in.int16();
            short lowest = in.int16();
            int highestPosition = in.position();
            short highest = in.int16();
            in.skipTags();
            short known = highestKnown(apiKey);
            // Without a common version the entry stays unchanged: if it were removed, clients would report an outdated
            // broker.
            if (!in.failed() && highest > known && lowest <= known) {
                lowered++;
                if (write) {
                    response.putShort(highestPosition, known);
                }
            }
        }
        return in.failed() ? -1 : lowered;
    }

    /**
     * The highest version that clients may use through the proxy; {@link Short#MAX_VALUE} if the proxy does not decode
     * the API.
     */
    public static short highestKnown(short apiKey) {
        return apiKey >= 0 && apiKey < HIGHEST_KNOWN.length ? HIGHEST_KNOWN[apiKey] : Short.MAX_VALUE;
    }

    private static short[] table() {
        short[] highest = new short
                [1
                        + ResponseRewriter.REWRITTEN.stream()
                                .mapToInt(api -> api.id)
                                .max()
                                .orElseThrow()];
        Arrays.fill(highest, Short.MAX_VALUE);
        ResponseRewriter.REWRITTEN.forEach(api -> highest[api.id] = api.latestVersion());
        highest[ApiKeys.API_VERSIONS.id] = ApiKeys.API_VERSIONS.latestVersion();
        return highest;
    }

    /**
     * Whether the proxy itself must answer an ApiVersions request of that version because it cannot decode the broker's
     * answer.
     */
    public static boolean isTooNew(short requestVersion) {
        return requestVersion > ApiKeys.API_VERSIONS.latestVersion();
    }

    /**
     * The answer to an ApiVersions request whose version is too new, as a broker gives it (KIP-511): version 0,
     * UNSUPPORTED_VERSION, and the supported versions of ApiVersions. The buffer starts at the header, without the
     * size.
     */
    public static ByteBuffer unsupportedVersion(int correlationId) {
        ByteBuffer out = ByteBuffer.allocate(16);
        out.putInt(correlationId);
        out.putShort(Errors.UNSUPPORTED_VERSION.code());
        out.putInt(1);
        out.putShort(ApiKeys.API_VERSIONS.id);
        out.putShort(ApiKeys.API_VERSIONS.oldestVersion());
        out.putShort(ApiKeys.API_VERSIONS.latestVersion());
        return out.flip();
    }
}
