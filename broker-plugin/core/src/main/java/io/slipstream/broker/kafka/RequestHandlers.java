// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka;

/** The broker's own request handling with requests from the rings. */
public interface RequestHandlers extends AutoCloseable {
    void start();

    /** Leaves all requests that arrive from now on to TCP. Any thread. */
    void leaveToTcp();

    /** Stops the threads and waits for them, but not for one that stays in the broker. Idempotent. */
    @Override
    void close();
}
