// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/**
 * Records events in call order. Safe for concurrent use. Callers record an attempt before it starts and its result
 * after it ends, so that an observation never precedes its cause.
 */
public interface Recorder extends AutoCloseable {
    void record(Event event);

    /** Returns the time of the common clock of all events. */
    default long nowNs() {
        return System.nanoTime();
    }

    /** Records nothing afterwards. */
    @Override
    void close();
}
