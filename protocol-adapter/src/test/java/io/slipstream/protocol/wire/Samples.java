// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Random messages of any of Kafka's schemas, with nulls, known and unknown tagged fields. */
public final class Samples {
    private final Random random;

    public Samples(Random random) {
        this.random = random;
    }

    /** The bytes of a random struct. */
    public ByteBuffer bytes(Schema schema) {
        Struct struct = struct(schema);
        ByteBuffer bytes = ByteBuffer.allocate(struct.sizeOf());
        struct.writeTo(bytes);
        return bytes.flip();
    }

    private Struct struct(Schema schema) {
        Struct struct = new Struct(schema);
        for (BoundField field : schema.fields()) {
            struct.set(field, value(field.def.type));
        }
        return struct;
    }

    private Object value(Type type) {
        if (type.isNullable() && random.nextInt(4) == 0) {
            return null;
        } else if (type instanceof Schema schema) {
            return struct(schema);
        } else if (type instanceof TaggedFields tagged) {
            return tags(tagged);
        } else if (type instanceof ArrayOf || type instanceof CompactArrayOf) {
            Object[] elements = new Object[random.nextInt(3)];
            for (int i = 0; i < elements.length; i++) {
                elements[i] = value(type.arrayElementType().orElseThrow());
            }
            return elements;
        } else if (type == Type.BOOLEAN) {
            return random.nextBoolean();
        } else if (type == Type.INT8) {
            return (byte) random.nextInt();
        } else if (type == Type.INT16) {
            return (short) random.nextInt();
        } else if (type == Type.UINT16) {
            return random.nextInt(65_536);
        } else if (type == Type.INT32) {
            return random.nextInt();
        } else if (type == Type.UNSIGNED_INT32) {
            return random.nextLong() >>> 32;
        } else if (type == Type.INT64) {
            return random.nextLong();
        } else if (type == Type.FLOAT64) {
            return random.nextDouble();
        } else if (type == Type.UUID) {
            return new Uuid(random.nextLong(), random.nextLong());
        }
        String name = type.toString();
        if (name.contains("STRING")) {
            return "s".repeat(random.nextInt(random.nextInt(20) == 0 ? 300 : 12));
        } else if (name.contains("BYTES")) {
            return ByteBuffer.wrap(blob());
        } else if (name.contains("RECORDS")) {
            return MemoryRecords.readableRecords(ByteBuffer.wrap(blob()));
        }
        throw new IllegalArgumentException("No sample for " + type);
    }

    private byte[] blob() {
        byte[] bytes = new byte[random.nextInt(random.nextInt(20) == 0 ? 300 : 20)];
        random.nextBytes(bytes);
        return bytes;
    }

    private NavigableMap<Integer, Object> tags(TaggedFields tagged) {
        NavigableMap<Integer, Object> values = new TreeMap<>();
        tagged.fields().forEach((tag, field) -> {
            if (random.nextBoolean()) {
                Object value = value(field.type);
                if (value != null) {
                    values.put(tag, value);
                }
            }
        });
        if (random.nextInt(4) == 0) {
            values.put(500, new RawTaggedField(500, blob()));
        }
        return values;
    }
}
