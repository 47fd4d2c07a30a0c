// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import io.slipstream.protocol.wire.Varints;
import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Limits an ApiVersions response, in place, to the APIs and versions that the proxy knows. A test classifies each field
 * of their responses; those of other APIs could name brokers where nothing is replaced. Lowest versions, features and
 * tagged fields stay as the broker sent them (Produce states 0 for old clients, although brokers serve it from 3). Not
 * thread-safe.
 */
public final class ApiVersionsIntersection {
    private static final short FIRST_FLEXIBLE = 3;
    /** Below every version. */
    private static final short UNKNOWN = Short.MIN_VALUE;

    /** By API key, because a lookup of Kafka's {@link ApiKeys} allocates. */
    private static final short[] HIGHEST_KNOWN = table();

    private final WireCursor in = new WireCursor();

    /**
     * Removes unknown APIs from an ApiVersions response, and lowers the highest version of known ones.
     *
     * @param response from its header on, without the size field, between position and limit; changed in place
     * @param requestVersion version of the ApiVersions request
     * @return size of the response, which begins where it began; -1 if the frame is malformed or of an unknown version,
     *     and then unchanged
     */
    public int intersect(ByteBuffer response, short requestVersion) {
        int start = response.position();
        if (response.remaining() < 6 || requestVersion < 0 || requestVersion > ApiKeys.API_VERSIONS.latestVersion()) {
            return -1;
        }
        // A broker that does not know the request's version answers with version 0.
        boolean tooNew = response.getShort(start + 4) == Errors.UNSUPPORTED_VERSION.code();
        boolean flexible = requestVersion >= FIRST_FLEXIBLE && !tooNew;
        in.wrap(response, start + 6, response.limit(), flexible);
        int offered = 0;
        for (int left = in.nonNullArrayCount(6); left > 0 && !in.failed(); left--) {
            offered += skipEntry() == UNKNOWN ? 0 : 1;
        }
        return in.failed() ? -1 : write(response, offered, flexible);
    }

    /** Skips an entry and returns the highest version of it that clients may use, {@link #UNKNOWN} for none. */
    private short skipEntry() {
        short known = highestKnown(in.int16());
        short lowest = in.int16();
        short highest = (short) Math.min(known, in.int16());
        in.skipTags();
        return lowest <= known ? highest : UNKNOWN;
    }

    /** No write reaches bytes that are still to be read, because nothing becomes longer. */
    private int write(ByteBuffer response, int offered, boolean flexible) {
        int start = response.position();
        in.wrap(response, start + 6, response.limit(), flexible);
        int left = in.nonNullArrayCount(6);
        response.position(start + 6);
        if (flexible) {
            Varints.writeUnsigned(response, offered + 1);
        } else {
            response.putInt(offered);
        }
        for (; left > 0; left--) {
            int entry = in.position();
            short highest = skipEntry();
            if (highest != UNKNOWN) {
                response.putShort(entry + 2 * Short.BYTES, highest);
                move(response, entry, in.position());
            }
        }
        move(response, in.position(), response.limit());
        int sizeBytes = response.position() - start;
        response.position(start);
        return sizeBytes;
    }

    private static void move(ByteBuffer buffer, int start, int end) {
        buffer.put(buffer.position(), buffer, start, end - start).position(buffer.position() + end - start);
    }

    /** The highest version that clients may use through the proxy; below 0 if the proxy does not know the API. */
    public static short highestKnown(short apiKey) {
        return apiKey >= 0 && apiKey < HIGHEST_KNOWN.length ? HIGHEST_KNOWN[apiKey] : UNKNOWN;
    }

    private static short[] table() {
        short[] highest = new short
                [1
                        + Arrays.stream(ApiKeys.values())
                                .mapToInt(api -> api.id)
                                .max()
                                .orElseThrow()];
        Arrays.fill(highest, UNKNOWN);
        for (ApiKeys api : ApiKeys.values()) {
            highest[api.id] = api.latestVersion();
        }
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
