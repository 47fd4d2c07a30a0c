// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.util.function.Consumer;

/** A finished recording. May be read any number of times, each time the same. */
public interface History {
    /** Passes every event, in the order in which it was recorded. */
    void forEach(Consumer<? super Event> visitor);
}
