// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/**
 * One of Kafka's types in a form that walks over bytes without creating objects. Compiled from Kafka's own schemas,
 * hence exact for every version that kafka-clients knows. A schema is a finite tree, which bounds the depth of a walk.
 */
abstract class WireType {
    /** Smallest encoded size of a value of this type, in bytes. */
    final int minBytes;

    WireType(int minBytes) {
        this.minBytes = minBytes;
    }

    /** Skips a value; fails the cursor if a length or count in it exceeds the remaining bytes. */
    abstract void skip(WireCursor cursor);

    static WireType of(Type type) {
        if (type instanceof Schema schema) {
            return new StructType(schema);
        } else if (type instanceof TaggedFields tagged) {
            return new TaggedType(tagged);
        } else if (type instanceof ArrayOf || type instanceof CompactArrayOf) {
            boolean compact = type instanceof CompactArrayOf;
            return new ArrayType(of(type.arrayElementType().orElseThrow()), compact, type.isNullable());
        }
        return switch (type.toString().replace("NULLABLE_", "")) {
            case "BOOLEAN", "INT8" -> new FixedType(1);
            case "INT16", "UINT16" -> new FixedType(2);
            case "INT32", "UINT32" -> new FixedType(4);
            case "INT64", "FLOAT64" -> new FixedType(8);
            case "UUID" -> new FixedType(16);
            case "STRING" -> new BlobType(2, type.isNullable());
            case "BYTES", "RECORDS" -> new BlobType(4, type.isNullable());
            case "COMPACT_STRING", "COMPACT_BYTES", "COMPACT_RECORDS" -> new BlobType(0, type.isNullable());
            default -> throw new IllegalArgumentException("A Kafka type that this version cannot walk: " + type);
        };
    }

    /** Numbers, booleans and uuids. */
    private static final class FixedType extends WireType {
        FixedType(int bytes) {
            super(bytes);
        }

        @Override
        void skip(WireCursor cursor) {
            cursor.skip(minBytes);
        }
    }

    /** Strings, bytes and records: a length of 2 or 4 bytes, or compact (0), then that many bytes. */
    private static final class BlobType extends WireType {
        private final int lengthBytes;
        private final boolean nullable;

        BlobType(int lengthBytes, boolean nullable) {
            super(Math.max(1, lengthBytes));
            this.lengthBytes = lengthBytes;
            this.nullable = nullable;
        }

        @Override
        void skip(WireCursor cursor) {
            int length;
            if (lengthBytes == Short.BYTES) {
                length = cursor.int16();
            } else if (lengthBytes == Integer.BYTES) {
                length = cursor.int32();
            } else {
                length = cursor.unsignedVarint() - 1;
            }
            if (length < (nullable ? -1 : 0) || length > cursor.remaining()) {
                cursor.fail();
            }
            cursor.skip(Math.max(0, length));
        }
    }

    private static final class ArrayType extends WireType {
        private final WireType element;
        private final boolean compact;
        private final boolean nullable;

        ArrayType(WireType element, boolean compact, boolean nullable) {
            super(compact ? 1 : 4);
            this.element = element;
            this.compact = compact;
            this.nullable = nullable;
        }

        @Override
        void skip(WireCursor cursor) {
            int count = compact ? cursor.unsignedVarint() - 1 : cursor.int32();
            if (count < (nullable ? -1 : 0) || count > cursor.remaining() / Math.max(1, element.minBytes)) {
                cursor.fail();
            }
            for (int i = 0; i < count && !cursor.failed(); i++) {
                element.skip(cursor);
            }
        }
    }

    /** A sequence of fields, with a section of tagged fields at its end in flexible versions. */
    static final class StructType extends WireType {
        private final WireType[] fields;
        /** Null if the version is not flexible. */
        private final TaggedType tags;

        private final boolean nullable;

        StructType(Schema schema) {
            this(schema, compile(schema));
        }

        private StructType(Schema schema, List<WireType> compiled) {
            super(
                    schema.isNullable()
                            ? 1
                            : compiled.stream()
                                    .mapToInt(field -> field.minBytes)
                                    .sum());
            int last = compiled.size() - 1;
            this.tags = last >= 0 && compiled.get(last) instanceof TaggedType tagged ? tagged : null;
            this.fields = compiled.subList(0, tags == null ? last + 1 : last).toArray(WireType[]::new);
            this.nullable = schema.isNullable();
        }

        /** Adjacent fields of fixed size are skipped as one. */
        private static List<WireType> compile(Schema schema) {
            List<WireType> compiled = new ArrayList<>();
            for (BoundField field : schema.fields()) {
                WireType type = of(field.def.type);
                int last = compiled.size() - 1;
                if (last >= 0 && type instanceof FixedType && compiled.get(last) instanceof FixedType before) {
                    compiled.set(last, new FixedType(before.minBytes + type.minBytes));
                } else {
                    compiled.add(type);
                }
            }
            return compiled;
        }

        @Override
        void skip(WireCursor cursor) {
            skipAndTell(cursor);
        }

        /** Skips a value, and returns whether there are tagged fields at its end. */
        boolean skipAndTell(WireCursor cursor) {
            if (nullable && cursor.int8() < 0) {
                return false;
            }
            for (WireType field : fields) {
                field.skip(cursor);
            }
            if (tags == null) {
                return false;
            }
            int start = cursor.position();
            tags.skip(cursor);
            // Without fields, the section is the byte 0.
            return cursor.position() - start > 1;
        }
    }

    /** A section of tagged fields; a known field must have exactly the size that its tag states. */
    private static final class TaggedType extends WireType {
        private final WireType[] byTag;

        private TaggedType(TaggedFields tagged) {
            super(1);
            int size = tagged.fields().keySet().stream()
                    .mapToInt(tag -> tag + 1)
                    .max()
                    .orElse(0);
            byTag = new WireType[size];
            tagged.fields().forEach((tag, field) -> byTag[tag] = of(field.type));
        }

        @Override
        void skip(WireCursor cursor) {
            int count = cursor.unsignedVarint();
            if (count > cursor.remaining() / 2) {
                cursor.fail();
            }
            for (int i = 0; i < count && !cursor.failed(); i++) {
                int tag = cursor.tag();
                int size = cursor.unsignedVarint();
                int start = cursor.position();
                if (tag >= 0 && tag < byTag.length && byTag[tag] != null) {
                    byTag[tag].skip(cursor);
                } else {
                    cursor.skip(size);
                }
                if (cursor.position() - start != size) {
                    cursor.fail();
                }
            }
        }
    }
}
