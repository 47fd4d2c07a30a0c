// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/** Makes one request from its schema, with a value of {@link FieldRules} in each field. */
final class RequestGenerator {
    /** No schema of Kafka has it. */
    private static final int UNKNOWN_TAG = 9_999;
    /** A broker mostly stops at the first wrong field. */
    private static final int WRONG_ONE_IN = 5;

    private final Draw draw;
    private final Random random;
    /** Fields that can be wrong, and those that are. */
    private int candidates;

    private int wrongs;

    private RequestGenerator(Draw draw, Random random) {
        this.draw = draw;
        this.random = random;
    }

    /** Returns null if a wrong request is asked for, and no field can be wrong. */
    static ApiMessage request(Draw draw, Random random) {
        RequestGenerator generator = new RequestGenerator(draw, random);
        ApiMessage message;
        do {
            message = generator.message();
        } while (draw.wrong() && generator.candidates > 0 && generator.wrongs == 0);
        return draw.wrong() && generator.wrongs == 0 ? null : message;
    }

    private ApiMessage message() {
        short version = draw.sent().version();
        Schema schema = draw.sent().api().messageType.requestSchemas()[version];
        Struct body = struct(schema, draw.sent().api().name());
        ByteBuffer bytes = ByteBuffer.allocate(schema.sizeOf(body));
        schema.write(bytes, body);
        bytes.flip();
        ApiMessage message = draw.sent().api().messageType.newRequest();
        message.read(new ByteBufferAccessor(bytes), version);
        if (schema.get("_tagged_fields") != null && random.nextBoolean()) {
            message.unknownTaggedFields().add(new RawTaggedField(UNKNOWN_TAG, new byte[] {1, 2, 3}));
        }
        return message;
    }

    private Struct struct(Schema schema, String path) {
        Struct struct = new Struct(schema);
        for (BoundField field : schema.fields()) {
            String name = field.def.name.replace("v3_and_below_", "");
            struct.set(field, value(field.def.type, path + '.' + name));
        }
        return struct;
    }

    private Object value(Type type, String path) {
        if (type instanceof TaggedFields) {
            return new TreeMap<Integer, Object>();
        }
        if (type.isArray()) {
            Object shape = drawn(FieldRules.find(path, "ARRAY"));
            if (shape != FieldRule.ONE) {
                return shape == FieldRule.NULL && type.isNullable() ? null : new Object[0];
            }
            return new Object[] {value(type.arrayElementType().orElseThrow(), path)};
        }
        if (type instanceof Schema schema) {
            return drawn(FieldRules.find(path, "STRUCT")) == FieldRule.NULL && type.isNullable()
                    ? null
                    : struct(schema, path);
        }
        return ofType(type, drawn(FieldRules.find(path, nameOf(type))), path);
    }

    private static String nameOf(Type type) {
        return type.toString().toUpperCase(Locale.ROOT).replaceAll("COMPACT_|NULLABLE_", "");
    }

    private Object drawn(FieldRule rule) {
        boolean isWrong = false;
        if (draw.wrong() && !rule.wrong().isEmpty()) {
            candidates++;
            isWrong = random.nextInt(WRONG_ONE_IN) == 0;
        }
        if (isWrong) {
            wrongs++;
        }
        List<Function<Draw, Object>> values = isWrong ? rule.wrong() : rule.right();
        return values.get(random.nextInt(values.size())).apply(draw);
    }

    private static Object ofType(Type type, Object value, String path) {
        if (value == FieldRule.NULL) {
            return type.isNullable() ? null : nameOf(type).equals("STRING") ? "" : ByteBuffer.allocate(0);
        }
        return switch (nameOf(type)) {
            case "INT8" -> ((Number) value).byteValue();
            case "INT16" -> ((Number) value).shortValue();
            case "INT32", "UINT16" -> ((Number) value).intValue();
            case "INT64" -> ((Number) value).longValue();
            case "BYTES" -> ByteBuffer.wrap((byte[]) value);
            case "BOOLEAN", "FLOAT64", "UUID", "STRING", "RECORDS" -> value;
            default -> throw new IllegalStateException("type " + type + " of " + path);
        };
    }
}
