// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Keeps clients from versions that the proxy could not decode where it must decode: the highest version of those APIs
 * is lowered, in the broker's own ApiVersions response and in place, to what is known here. Lowest versions (Produce
 * says 0 for old clients' sake although it serves from 3), unknown APIs, features and tagged fields stay as the broker
 * sent them. For one thread.
 */
public final class ApiVersionsIntersection {
    private static final short FIRST_FLEXIBLE = 3;
    /** Highest version known of the APIs that must be decoded, {@link Short#MAX_VALUE} of all others. */
    private static final short[] HIGHEST = highest();

    private final WireCursor cursor = new WireCursor();

    /**
     * Lowers versions in the response (header on, without size, between position and limit) to an ApiVersions request
     * of that version.
     *
     * @return how many APIs were lowered; -1 if the frame is malformed or of an unknown version, and then unchanged
     */
    public int intersect(ByteBuffer response, short requestVersion) {
        return walk(response, requestVersion, false) < 0 ? -1 : walk(response, requestVersion, true);
    }

    private int walk(ByteBuffer response, short requestVersion, boolean write) {
        int start = response.position();
        if (response.remaining() < 6 || requestVersion < 0 || requestVersion > ApiKeys.API_VERSIONS.latestVersion()) {
            return -1;
        }
        // A broker that does not know the request's version answers in version 0.
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
            // An API of which no version is common stays: without it, clients would complain of an old broker.
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
     * The highest version of that API that clients may use through the proxy; Short.MAX_VALUE if it is passed through
     * opaque.
     */
    public static short highestKnown(short apiKey) {
        return apiKey >= 0 && apiKey < HIGHEST.length ? HIGHEST[apiKey] : Short.MAX_VALUE;
    }

    /**
     * Whether the proxy must answer an ApiVersions request of that version itself, because it cannot decode the
     * broker's answer.
     */
    public static boolean isTooNew(short requestVersion) {
        return requestVersion > ApiKeys.API_VERSIONS.latestVersion();
    }

    /**
     * The answer to a too new ApiVersions request, as a broker gives it (KIP-511): version 0, UNSUPPORTED_VERSION, and
     * the versions of ApiVersions to try again with. Header on, without size.
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

    private static short[] highest() {
        int size = ApiKeys.API_VERSIONS.id + 1;
        for (ApiKeys api : ResponseRewriter.REWRITTEN) {
            size = Math.max(size, api.id + 1);
        }
        short[] highest = new short[size];
        Arrays.fill(highest, Short.MAX_VALUE);
        for (ApiKeys api : ResponseRewriter.REWRITTEN) {
            highest[api.id] = api.latestVersion();
        }
        highest[ApiKeys.API_VERSIONS.id] = ApiKeys.API_VERSIONS.latestVersion();
        return highest;
    }
}
