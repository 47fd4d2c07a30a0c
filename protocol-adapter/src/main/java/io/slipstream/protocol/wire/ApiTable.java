// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import io.slipstream.protocol.wire.WireType.StructType;
import java.util.Arrays;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ResponseHeaderData;

/**
 * Header versions and response schemas of all APIs and versions that kafka-clients knows, for lookups without boxing.
 * Header versions are computed at class initialization, walkable schemas on first use. Thread-safe.
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
        return api == null ? UNKNOWN : api.requestHeaderVersions[version];
    }

    /** Header version of responses, or {@link #UNKNOWN}. */
    static byte responseHeaderVersion(short apiKey, short version) {
        Api api = find(apiKey, version);
        return api == null ? UNKNOWN : api.responseHeaderVersions[version];
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
        return apiKey < 0 || apiKey >= APIS.length || APIS[apiKey] == null ? Short.MIN_VALUE : APIS[apiKey].latest;
    }

    private static Api find(short apiKey, short version) {
        if (apiKey < 0 || apiKey >= APIS.length || APIS[apiKey] == null) {
            return null;
        }
        Api api = APIS[apiKey];
        return version < api.oldest || version > api.latest ? null : api;
    }

    private static Api[] apis() {
        int size = 0;
        for (ApiMessageType type : ApiMessageType.values()) {
            size = Math.max(size, type.apiKey() + 1);
        }
        Api[] apis = new Api[size];
        for (ApiMessageType type : ApiMessageType.values()) {
            apis[type.apiKey()] = new Api(type);
        }
        return apis;
    }

    private static final class Api {
        final ApiMessageType type;
        final int oldest;
        final short latest;
        final byte[] requestHeaderVersions;
        final byte[] responseHeaderVersions;
        final StructType[] responses;

        Api(ApiMessageType type) {
            this.type = type;
            this.oldest = type.lowestSupportedVersion();
            this.latest = type.highestSupportedVersion(true);
            int versions = Math.max(0, latest + 1);
            this.requestHeaderVersions = new byte[versions];
            this.responseHeaderVersions = new byte[versions];
            this.responses = new StructType[versions];
            for (int version = oldest; version <= latest; version++) {
                requestHeaderVersions[version] = (byte) type.requestHeaderVersion((short) version);
                responseHeaderVersions[version] = (byte) type.responseHeaderVersion((short) version);
            }
        }
    }
}
