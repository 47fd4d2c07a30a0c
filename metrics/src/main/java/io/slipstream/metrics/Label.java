// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A label of a meter. Its values are never taken from clients.
 *
 * @param values all it can have; none if they are known only at run time, such as the name of a device
 */
public record Label(String name, List<String> values) {
    public static Label of(String name, String... values) {
        return new Label(name, List.of(values));
    }

    /** With the names of an enum's constants, in lower case. */
    public static Label of(String name, Class<? extends Enum<?>> values) {
        return new Label(
                name,
                Arrays.stream(values.getEnumConstants()).map(Label::valueOf).toList());
    }

    /** Of something that is known only at run time. */
    public static Label open(String name) {
        return new Label(name, List.of());
    }

    /** The value that stands for a constant. */
    public static String valueOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    boolean isOpen() {
        return values.isEmpty();
    }
}
