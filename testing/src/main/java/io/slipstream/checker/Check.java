// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Event;
import java.util.Set;

/**
 * The check of one invariant over a history. It is created from the facts, visits the events of the requested kinds in
 * order, and then concludes. Its additions to the {@link Findings} depend on nothing else.
 */
interface Check {
    /** Returns the kinds of events to visit. */
    default Set<Class<? extends Event>> interests() {
        return Set.of();
    }

    default void visit(Event event) {}

    /** Called after the last event. */
    default void conclude() {}
}
