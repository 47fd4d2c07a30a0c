// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;

/** A struct: a sequence of fields. Recognises endpoints by Kafka's field names. */
final class StructType extends WireType {
    private enum Role {
        NODE_ID,
        HOST,
        PORT,
        CLUSTER_ID,
        ENDPOINT_TYPE,
        OTHER
    }

    private final WireType[] fields;
    private final Role[] roles;
    private final boolean nullable;
    private final boolean endpoint;

    private StructType(
            WireType[] fields, Role[] roles, boolean nullable, int minBytes, boolean endpoint, boolean holdsEndpoints) {
        super(minBytes, holdsEndpoints);
        this.fields = fields;
        this.roles = roles;
        this.nullable = nullable;
        this.endpoint = endpoint;
    }

    static StructType compile(Schema schema) {
        BoundField[] bound = schema.fields();
        WireType[] fields = new WireType[bound.length];
        Role[] roles = new Role[bound.length];
        int bytes = 0;
        int parts = 0;
        boolean holds = false;
        for (int i = 0; i < bound.length; i++) {
            fields[i] = of(bound[i].def.type);
            roles[i] = role(bound[i].def.name, fields[i]);
            parts += roles[i].ordinal() <= Role.PORT.ordinal() ? 1 : 0;
            bytes += fields[i].minBytes;
            holds |= fields[i].holdsEndpoints;
        }
        boolean endpoint = parts == 3;
        return new StructType(
                fields, roles, schema.isNullable(), schema.isNullable() ? 1 : bytes, endpoint, holds || endpoint);
    }

    private static Role role(String name, WireType type) {
        boolean text = type instanceof BlobType;
        boolean int32 = type instanceof FixedType fixed && fixed.minBytes == Integer.BYTES;
        return switch (name) {
            case "node_id", "broker_id" -> int32 ? Role.NODE_ID : Role.OTHER;
            case "host" -> text ? Role.HOST : Role.OTHER;
            case "port" -> int32 ? Role.PORT : Role.OTHER;
            case "cluster_id" -> text ? Role.CLUSTER_ID : Role.OTHER;
            case "endpoint_type" -> Role.ENDPOINT_TYPE;
            default -> Role.OTHER;
        };
    }

    @Override
    void skip(WireCursor cursor) {
        if (nullable && cursor.int8() < 0) {
            return;
        }
        for (WireType field : fields) {
            if (cursor.failed()) {
                return;
            }
            field.skip(cursor);
        }
    }

    @Override
    void endpoints(WireCursor cursor, EndpointWalk found) {
        if (!holdsEndpoints) {
            skip(cursor);
            return;
        }
        if (nullable && cursor.int8() < 0) {
            return;
        }
        int nodeId = -1;
        int hostField = 0;
        int host = 0;
        int hostLength = 0;
        boolean compact = false;
        int port = 0;
        for (int i = 0; i < fields.length && !cursor.failed(); i++) {
            switch (roles[i]) {
                case NODE_ID -> nodeId = cursor.int32();
                case HOST -> {
                    compact = ((BlobType) fields[i]).isCompact();
                    hostField = cursor.position();
                    hostLength = Math.max(0, ((BlobType) fields[i]).length(cursor));
                    host = cursor.position();
                    cursor.skip(hostLength);
                }
                case PORT -> {
                    port = cursor.position();
                    cursor.skip(Integer.BYTES);
                }
                case CLUSTER_ID -> {
                    int length = ((BlobType) fields[i]).length(cursor);
                    int at = cursor.position();
                    cursor.skip(Math.max(0, length));
                    found.clusterIdPosition = at;
                    found.clusterIdLength = length;
                }
                case ENDPOINT_TYPE -> found.endpointType = cursor.int8();
                default -> fields[i].endpoints(cursor, found);
            }
        }
        if (endpoint && !cursor.failed()) {
            found.add(nodeId, hostField, host, hostLength, compact, port);
        }
    }
}
