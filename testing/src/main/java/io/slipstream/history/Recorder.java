// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/**
 * Takes events down, in the order of the calls. Safe from any thread. An event about an attempt is recorded before the attempt, an event about its end after it, so that what was seen
 * never stands before what caused it.
 */
public interface Recorder extends AutoCloseable {
    void record(Event event);

    /** The clock of all events. */
    default long nowNs() {
        return System.nanoTime();
    }

    /** Nothing is recorded afterwards. */
    @Override
    void close();
}
