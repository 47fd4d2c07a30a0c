// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A label of a meter. Its values never come from clients.
 *
 * @param values all possible values; empty if they are known only at run time, such as the name of a device
 */
public record Label(String name, List<String> values) {
    public static Label of(String name, String... values) {
        return new Label(name, List.of(values));
    }

    /** A label whose values are the names of an enum's constants, in lower case. */
    public static Label of(String name, Class<? extends Enum<?>> values) {
        return new Label(
                name,
                Arrays.stream(values.getEnumConstants()).map(Label::valueOf).toList());
    }

    /** A label whose values are the names of the other constants of that constant's enum. */
    public static <E extends Enum<E>> Label allBut(String name, E left) {
        return new Label(
                name,
                Arrays.stream(left.getDeclaringClass().getEnumConstants())
                        .filter(value -> value != left)
                        .map(Label::valueOf)
                        .toList());
    }

    /** A label whose values are known only at run time. */
    public static Label open(String name) {
        return new Label(name, List.of());
    }

    /** The label value of a constant. */
    public static String valueOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    public boolean isOpen() {
        return values.isEmpty();
    }
}
