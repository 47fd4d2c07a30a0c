// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A history in the heap, for small ones. Reading while recording sees what was recorded before. */
public final class MemoryHistory implements History, Recorder {
    private final List<Event> events = new ArrayList<>();

    public static MemoryHistory of(List<? extends Event> events) {
        MemoryHistory history = new MemoryHistory();
        events.forEach(history::record);
        return history;
    }

    /** A copy of any history. */
    public static MemoryHistory copyOf(History other) {
        MemoryHistory history = new MemoryHistory();
        other.forEach(history::record);
        return history;
    }

    @Override
    public synchronized void record(Event event) {
        events.add(event);
    }

    public synchronized List<Event> events() {
        return List.copyOf(events);
    }

    @Override
    public void forEach(Consumer<? super Event> visitor) {
        events().forEach(visitor);
    }

    @Override
    public void close() {
        // Nothing to give back.
    }
}
