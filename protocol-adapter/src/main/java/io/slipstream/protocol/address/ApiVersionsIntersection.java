// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import io.slipstream.protocol.wire.ApiTable;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * Limits an ApiVersions response to the APIs and versions that the proxy knows. A test classifies each field of their
 * responses; those of other APIs could name brokers where nothing is replaced. Lowest versions, features and tagged
 * fields stay as the broker sent them (Produce states 0 for old clients, although brokers serve it from 3).
 */
public final class ApiVersionsIntersection {
    private ApiVersionsIntersection() {}

    /**
     * Removes unknown APIs from an ApiVersions response, and lowers the highest version of known ones.
     *
     * @param response from its header on, without the size field, between position and limit; not changed
     * @param requestVersion version of the ApiVersions request
     * @return the same buffer if nothing changes, or if the frame is malformed or of an unknown version; else a new
     *     heap buffer
     */
    public static ByteBuffer intersect(ByteBuffer response, short requestVersion) {
        if (response.remaining() < 6 || requestVersion < 0 || isTooNew(requestVersion)) {
            return response;
        }
        // A broker that does not know the request's version answers with version 0.
        boolean tooNew = response.getShort(response.position() + Integer.BYTES) == Errors.UNSUPPORTED_VERSION.code();
        try {
            return limited(response, tooNew ? 0 : requestVersion);
        } catch (RuntimeException malformed) {
            return response;
        }
    }

    private static ByteBuffer limited(ByteBuffer response, short version) {
        ByteBufferAccessor in = new ByteBufferAccessor(response.duplicate());
        ResponseHeaderData header = new ResponseHeaderData(in, (short) 0);
        ApiVersionsResponseData offered = new ApiVersionsResponseData(in, version);
        boolean changed = offered.apiKeys().removeIf(api -> isUnknown(api, ApiTable.highestVersion(api.apiKey())));
        for (ApiVersion api : offered.apiKeys()) {
            short known = ApiTable.highestVersion(api.apiKey());
            if (api.maxVersion() > known) {
                api.setMaxVersion(known);
                changed = true;
            }
        }
        return changed ? RequestUtils.serialize(header, (short) 0, offered, version) : response;
    }

    private static boolean isUnknown(ApiVersion api, short highestKnown) {
        return highestKnown < 0 || api.minVersion() > highestKnown;
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
