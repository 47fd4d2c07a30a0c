// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Decomposes and composes one kind of event: its components in order. Immutable. */
final class EventShape {
    private static final MethodType LONG_GETTER = MethodType.methodType(long.class, Event.class);
    private static final MethodType OBJECT_GETTER = MethodType.methodType(Object.class, Event.class);

    /** All kinds of events in declaration order, which is the order of their numbers in a file. */
    static final List<EventShape> ALL = all(Event.class);

    /** The representation of a component in the file. */
    enum Kind {
        NUMBER,
        TEXT,
        INTS,
        LONGS,
        RUN
    }

    private final Class<?> type;
    private final Class<?>[] componentTypes;
    private final Kind[] kinds;
    private final MethodHandle[] getters;
    private final MethodHandle constructor;

    private EventShape(Class<?> type) throws ReflectiveOperationException {
        this.type = type;
        RecordComponent[] components = type.getRecordComponents();
        componentTypes = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        kinds = Arrays.stream(componentTypes).map(EventShape::kindOf).toArray(Kind[]::new);
        getters = new MethodHandle[components.length];
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        for (int i = 0; i < components.length; i++) {
            getters[i] = getter(lookup.unreflect(components[i].getAccessor()), kinds[i]);
        }
        constructor = lookup.findConstructor(type, MethodType.methodType(void.class, componentTypes))
                .asSpreader(Object[].class, components.length)
                .asType(MethodType.methodType(Event.class, Object[].class));
    }

    private static MethodHandle getter(MethodHandle accessor, Kind kind) throws ReflectiveOperationException {
        if (kind != Kind.NUMBER) {
            return accessor.asType(OBJECT_GETTER);
        }
        MethodHandle number = accessor;
        if (accessor.type().returnType().isEnum()) {
            MethodHandle ordinal = MethodHandles.lookup()
                    .findVirtual(Enum.class, "ordinal", MethodType.methodType(int.class))
                    .asType(MethodType.methodType(int.class, accessor.type().returnType()));
            number = MethodHandles.filterReturnValue(accessor, ordinal);
        }
        return MethodHandles.explicitCastArguments(number, LONG_GETTER);
    }

    private static Kind kindOf(Class<?> type) {
        if (type == long.class || type == int.class || type == boolean.class || type.isEnum()) {
            return Kind.NUMBER;
        }
        if (type == String.class) {
            return Kind.TEXT;
        }
        if (type == int[].class) {
            return Kind.INTS;
        }
        if (type == long[].class) {
            return Kind.LONGS;
        }
        if (type == RecordRun.class) {
            return Kind.RUN;
        }
        throw new IllegalStateException("an event cannot have a component of " + type);
    }

    private static List<EventShape> all(Class<?> sealed) {
        List<EventShape> shapes = new ArrayList<>();
        for (Class<?> permitted : sealed.getPermittedSubclasses()) {
            if (permitted.isSealed()) {
                shapes.addAll(all(permitted));
            } else {
                try {
                    shapes.add(new EventShape(permitted));
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException("cannot take " + permitted + " apart", e);
                }
            }
        }
        return List.copyOf(shapes);
    }

    Class<?> type() {
        return type;
    }

    int size() {
        return kinds.length;
    }

    Kind kind(int component) {
        return kinds[component];
    }

    long number(Event event, int component) {
        try {
            return (long) getters[component].invokeExact(event);
        } catch (Throwable e) {
            throw new IllegalStateException("cannot read component " + component + " of " + type, e);
        }
    }

    Object object(Event event, int component) {
        try {
            return (Object) getters[component].invokeExact(event);
        } catch (Throwable e) {
            throw new IllegalStateException("cannot read component " + component + " of " + type, e);
        }
    }

    /** Converts a number of the file to the component's type. */
    Object boxed(int component, long number) {
        Class<?> wanted = componentTypes[component];
        if (wanted == long.class) {
            return number;
        }
        if (wanted == int.class) {
            return (int) number;
        }
        return wanted == boolean.class ? (Object) (number != 0) : wanted.getEnumConstants()[(int) number];
    }

    Event create(Object[] components) {
        try {
            return (Event) constructor.invokeExact(components);
        } catch (Throwable e) {
            throw new IllegalStateException("cannot make a " + type, e);
        }
    }

    /** Name and components, which identify files of another model version. */
    String signature() {
        return type.getSimpleName()
                + Arrays.stream(type.getRecordComponents())
                        .map(component ->
                                component.getName() + ":" + component.getType().getSimpleName())
                        .collect(Collectors.joining(",", "(", ")"));
    }
}
