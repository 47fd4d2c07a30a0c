// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Event;
import java.util.Set;

/**
 * One invariant's function over a history. It is made from the facts, is then shown the events it asks for, in their order, and concludes. What it adds to the {@link Findings} depends on
 * nothing else.
 */
interface Check {
    /** Kinds of events to be shown. */
    default Set<Class<? extends Event>> interests() {
        return Set.of();
    }

    default void visit(Event event) {}

    /** After the last event. */
    default void conclude() {}
}
