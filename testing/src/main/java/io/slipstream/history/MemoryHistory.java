// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A small history in the heap. A read during recording sees the events recorded so far. */
public final class MemoryHistory implements History, Recorder {
    private final List<Event> events = new ArrayList<>();

    public static MemoryHistory of(List<? extends Event> events) {
        MemoryHistory history = new MemoryHistory();
        events.forEach(history::record);
        return history;
    }

    /** Copies a history. */
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
        // Holds no resources.
    }
}
