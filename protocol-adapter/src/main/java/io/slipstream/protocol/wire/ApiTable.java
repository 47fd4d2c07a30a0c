// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import io.slipstream.protocol.wire.WireType.StructType;
import java.util.Arrays;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ResponseHeaderData;

/**
 * Header versions and response schemas of all APIs and versions that kafka-clients knows, for lookups without boxing.
 * Walkable schemas are made on first use. Thread-safe.
 */
public final class ApiTable {
    /** Header version of an unknown API or version. */
    static final byte UNKNOWN = -1;

    private static final Api[] APIS = apis();
    /** By header version. */
    static final WireType[] RESPONSE_HEADERS =
            Arrays.stream(ResponseHeaderData.SCHEMAS).map(WireType::of).toArray(WireType[]::new);

    private ApiTable() {}

    /** Header version of requests, or {@link #UNKNOWN}. */
    static byte requestHeaderVersion(short apiKey, short version) {
        Api api = find(apiKey, version);
        return api == null ? UNKNOWN : (byte) api.type.requestHeaderVersion(version);
    }

    /** Header version of responses, or {@link #UNKNOWN}. */
    static byte responseHeaderVersion(short apiKey, short version) {
        Api api = find(apiKey, version);
        return api == null ? UNKNOWN : (byte) api.type.responseHeaderVersion(version);
    }

    /**
     * The body of a known response. Two threads may compile the same schema at once; both results are equivalent. All
     * fields of a type are final.
     */
    static StructType response(short apiKey, short version) {
        Api api = APIS[apiKey];
        StructType type = api.responses[version];
        if (type == null) {
            type = new StructType(api.type.responseSchemas()[version]);
            api.responses[version] = type;
        }
        return type;
    }

    /** The highest version of the API; below 0 if it has none, and below all versions if the API is unknown. */
    public static short highestVersion(short apiKey) {
        Api api = find(apiKey);
        return api == null ? Short.MIN_VALUE : api.type.highestSupportedVersion(true);
    }

    private static Api find(short apiKey) {
        return apiKey < 0 || apiKey >= APIS.length ? null : APIS[apiKey];
    }

    private static Api find(short apiKey, short version) {
        Api api = find(apiKey);
        return api == null || version < api.type.lowestSupportedVersion() || version >= api.responses.length
                ? null
                : api;
    }

    private static Api[] apis() {
        int size = 0;
        for (ApiMessageType type : ApiMessageType.values()) {
            size = Math.max(size, type.apiKey() + 1);
        }
        Api[] apis = new Api[size];
        for (ApiMessageType type : ApiMessageType.values()) {
            apis[type.apiKey()] = new Api(type, new StructType[Math.max(0, type.highestSupportedVersion(true) + 1)]);
        }
        return apis;
    }

    /** @param responses by version; null before its first use */
    private record Api(ApiMessageType type, StructType[] responses) {}
}
