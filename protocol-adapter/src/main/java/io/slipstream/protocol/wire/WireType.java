package io.slipstream.protocol.wire;

import java.util.Map;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/**
 * One of Kafka's types in a form that can be walked over bytes without reading them into objects. Compiled from Kafka's own
 * schemas, hence exact for every version that kafka-clients knows; a schema is a finite tree, so the depth of a walk is bounded.
 */
abstract class WireType {
    /** Bytes that every value of this type takes at least. */
    abstract int minBytes();

    /** Steps over a value; fails the cursor if a length or count in it exceeds the bytes that remain. */
    abstract void skip(WireCursor cursor);

    static WireType of(Type type) {
        if (type instanceof Schema schema) {
            return new StructType(schema);
        } else if (type instanceof TaggedFields tagged) {
            return new TaggedType(tagged);
        } else if (type instanceof ArrayOf || type instanceof CompactArrayOf) {
            boolean compact = type instanceof CompactArrayOf;
            return new ArrayType(of(type.arrayElementType().orElseThrow()), compact, type.isNullable());
        } else if (type == Type.BOOLEAN || type == Type.INT8) {
            return new FixedType(1);
        } else if (type == Type.INT16 || type == Type.UINT16) {
            return new FixedType(2);
        } else if (type == Type.INT32 || type == Type.UNSIGNED_INT32) {
            return new FixedType(4);
        } else if (type == Type.INT64 || type == Type.FLOAT64) {
            return new FixedType(8);
        } else if (type == Type.UUID) {
            return new FixedType(16);
        } else if (type == Type.VARINT) {
            return new VarintType(5);
        } else if (type == Type.VARLONG) {
            return new VarintType(10);
        } else if (type == Type.STRING || type == Type.NULLABLE_STRING) {
            return new BlobType(2, type.isNullable());
        } else if (type == Type.BYTES
                || type == Type.NULLABLE_BYTES
                || type == Type.RECORDS
                || type == Type.NULLABLE_RECORDS) {
            return new BlobType(4, type.isNullable());
        } else if (type == Type.COMPACT_STRING
                || type == Type.COMPACT_NULLABLE_STRING
                || type == Type.COMPACT_BYTES
                || type == Type.COMPACT_NULLABLE_BYTES
                || type == Type.COMPACT_RECORDS
                || type == Type.COMPACT_NULLABLE_RECORDS) {
            return new BlobType(0, type.isNullable());
        }
        throw new IllegalArgumentException("A Kafka type that this version cannot walk: " + type);
    }

    private static final class FixedType extends WireType {
        private final int bytes;

        FixedType(int bytes) {
            this.bytes = bytes;
        }

        @Override
        int minBytes() {
            return bytes;
        }

        @Override
        void skip(WireCursor cursor) {
            cursor.skip(bytes);
        }
    }

    private static final class VarintType extends WireType {
        private final int maxBytes;

        VarintType(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        @Override
        int minBytes() {
            return 1;
        }

        @Override
        void skip(WireCursor cursor) {
            cursor.skipVarint(maxBytes);
        }
    }

    /** Strings, bytes and records: a length of 2 or 4 bytes, or compact (0), then that many bytes. */
    private static final class BlobType extends WireType {
        private final int lengthBytes;
        private final boolean nullable;

        BlobType(int lengthBytes, boolean nullable) {
            this.lengthBytes = lengthBytes;
            this.nullable = nullable;
        }

        @Override
        int minBytes() {
            return Math.max(1, lengthBytes);
        }

        @Override
        void skip(WireCursor cursor) {
            int length = switch (lengthBytes) {
                case 2 -> cursor.int16();
                case 4 -> cursor.int32();
                default -> cursor.unsignedVarint() - 1;
            };
            if (length != -1 || !nullable) {
                cursor.skip(length);
            }
        }
    }

    private static final class ArrayType extends WireType {
        private final WireType element;
        private final boolean compact;
        private final boolean nullable;

        ArrayType(WireType element, boolean compact, boolean nullable) {
            this.element = element;
            this.compact = compact;
            this.nullable = nullable;
        }

        @Override
        int minBytes() {
            return compact ? 1 : 4;
        }

        @Override
        void skip(WireCursor cursor) {
            int count = compact ? cursor.unsignedVarint() - 1 : cursor.int32();
            if (count < 0) {
                if (count < -1 || !nullable) {
                    cursor.fail();
                }
                return;
            }
            if (count > cursor.remaining() / Math.max(1, element.minBytes())) {
                cursor.fail();
                return;
            }
            for (int i = 0; i < count && !cursor.failed(); i++) {
                element.skip(cursor);
            }
        }
    }

    private static final class StructType extends WireType {
        private final WireType[] fields;
        private final boolean nullable;
        private final int minBytes;

        StructType(Schema schema) {
            BoundField[] bound = schema.fields();
            this.fields = new WireType[bound.length];
            this.nullable = schema.isNullable();
            int bytes = 0;
            for (int i = 0; i < bound.length; i++) {
                fields[i] = of(bound[i].def.type);
                bytes += fields[i].minBytes();
            }
            this.minBytes = nullable ? 1 : bytes;
        }

        @Override
        int minBytes() {
            return minBytes;
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
    }

    /** A section of tagged fields; a known field must take exactly the size that its tag states. */
    private static final class TaggedType extends WireType {
        private final WireType[] byTag;

        TaggedType(TaggedFields tagged) {
            int size = 0;
            for (Integer tag : tagged.fields().keySet()) {
                size = Math.max(size, tag + 1);
            }
            this.byTag = new WireType[size];
            for (Map.Entry<Integer, Field> entry : tagged.fields().entrySet()) {
                byTag[entry.getKey()] = of(entry.getValue().type);
            }
        }

        @Override
        int minBytes() {
            return 1;
        }

        @Override
        void skip(WireCursor cursor) {
            int count = cursor.unsignedVarint();
            if (count > cursor.remaining() / 2) {
                cursor.fail();
            }
            for (int i = 0; i < count && !cursor.failed(); i++) {
                int tag = cursor.unsignedVarint();
                int size = cursor.unsignedVarint();
                int start = cursor.position();
                if (tag < byTag.length && byTag[tag] != null) {
                    byTag[tag].skip(cursor);
                    if (cursor.position() - start != size) {
                        cursor.fail();
                    }
                } else {
                    cursor.skip(size);
                }
            }
        }
    }
}
