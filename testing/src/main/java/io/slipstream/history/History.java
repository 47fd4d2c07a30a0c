// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.util.function.Consumer;

/** A finished recording. Every read returns the same events. */
public interface History {
    /** Passes every event in recording order. */
    void forEach(Consumer<? super Event> visitor);
}
