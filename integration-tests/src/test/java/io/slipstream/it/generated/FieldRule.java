// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Values of the fields whose path matches, such as {@code CREATE_TOPICS.topics.name}.
 *
 * @param right they name existing things
 * @param wrong none if each value is right
 */
record FieldRule(Pattern path, List<Function<Draw, Object>> right, List<Function<Draw, Object>> wrong) {
    /** The array has no element, or there is no array or structure where the type allows it. */
    static final Object NOTHING = new Object();
    /** There is no array, structure, text or bytes if the type allows it, else nothing in it. */
    static final Object NULL = new Object();
    /** The array has one element, or the structure is there. */
    static final Object ONE = new Object();

    static FieldRule of(String path) {
        return new FieldRule(Pattern.compile(path), new ArrayList<>(), new ArrayList<>());
    }

    FieldRule right(Object... values) {
        return add(right, values);
    }

    FieldRule right(Function<Draw, Object> value) {
        right.add(value);
        return this;
    }

    FieldRule wrong(Object... values) {
        return add(wrong, values);
    }

    FieldRule wrong(Function<Draw, Object> value) {
        wrong.add(value);
        return this;
    }

    private FieldRule add(List<Function<Draw, Object>> to, Object... values) {
        for (Object value : values) {
            to.add(draw -> value);
        }
        return this;
    }
}
