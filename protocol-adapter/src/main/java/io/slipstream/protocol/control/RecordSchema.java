// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.Type;

/**
 * The schema of a control message. The order and the types of the record's components are the wire format. Immutable,
 * thread-safe.
 */
final class RecordSchema {
    private final Constructor<?> constructor;
    private final RecordComponent[] components;
    /** Schemas of components that are records or lists of records; null for other components. */
    private final RecordSchema[] nested;
    /** Number of leading components that are not part of the schema. */
    private final int without;

    final Schema schema;

    /** @param without number of leading components to leave out */
    RecordSchema(Class<?> type, int without) {
        this.components = type.getRecordComponents();
        this.nested = new RecordSchema[components.length];
        this.without = without;
        Field[] fields = new Field[components.length - without];
        for (int i = without; i < components.length; i++) {
            fields[i - without] = new Field(components[i].getName(), typeOf(i));
        }
        this.schema = new Schema(fields);
        try {
            this.constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a record lacks its canonical constructor", e);
        }
    }

    private Type typeOf(int index) {
        Class<?> type = components[index].getType();
        if (type == int.class) {
            return Type.INT32;
        } else if (type == long.class) {
            return Type.INT64;
        } else if (type == boolean.class) {
            return Type.BOOLEAN;
        } else if (type == String.class) {
            return components[index].isAnnotationPresent(Nullable.class) ? Type.NULLABLE_STRING : Type.STRING;
        } else if (type == Uuid.class) {
            return Type.UUID;
        } else if (type == List.class) {
            ParameterizedType list = (ParameterizedType) components[index].getGenericType();
            nested[index] = new RecordSchema((Class<?>) list.getActualTypeArguments()[0], 0);
            return new ArrayOf(nested[index].schema);
        }
        nested[index] = new RecordSchema(type, 0);
        return nested[index].schema;
    }

    Struct struct(Object message) {
        Struct struct = new Struct(schema);
        for (int i = without; i < components.length; i++) {
            struct.set(schema.get(i - without), travelling(nested[i], value(message, components[i])));
        }
        return struct;
    }

    private static Object value(Object message, RecordComponent component) {
        try {
            return component.getAccessor().invoke(message);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(component + " cannot be read", e);
        }
    }

    private static Object travelling(RecordSchema nested, Object value) {
        return value instanceof List<?> list
                ? list.stream().map(nested::struct).toArray()
                : nested == null || value == null ? value : nested.struct(value);
    }

    /** The record with these leading components and the fields of the struct. */
    Object message(Struct struct, Object... leading) {
        Object[] values = Arrays.copyOf(leading, components.length);
        for (int i = without; i < components.length; i++) {
            values[i] = received(nested[i], struct.get(schema.get(i - without)));
        }
        return create(values);
    }

    private static Object received(RecordSchema nested, Object value) {
        if (value instanceof Object[] structs) {
            List<Object> list = new ArrayList<>(structs.length);
            for (Object each : structs) {
                list.add(nested.message((Struct) each));
            }
            return list;
        }
        return nested == null ? value : nested.message((Struct) value);
    }

    /**
     * A record with these leading components and default values: -1, false, zero UUID, {@link RemoteMemory#NONE}, empty
     * list.
     */
    Object empty(Object... leading) {
        Object[] values = Arrays.copyOf(leading, components.length);
        for (int i = without; i < components.length; i++) {
            values[i] = empty(components[i].getType());
        }
        return create(values);
    }

    private static Object empty(Class<?> type) {
        if (type == int.class) {
            return -1;
        } else if (type == long.class) {
            return -1L;
        } else if (type == boolean.class) {
            return false;
        } else if (type == Uuid.class) {
            return Uuid.ZERO_UUID;
        } else if (type == RemoteMemory.class) {
            return RemoteMemory.NONE;
        }
        return type == List.class ? List.of() : null;
    }

    private Object create(Object[] values) {
        try {
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(constructor + " fails", e);
        }
    }

    /** Marks a component of a control message that may be null; it is a nullable string on the wire. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    @interface Nullable {}
}
