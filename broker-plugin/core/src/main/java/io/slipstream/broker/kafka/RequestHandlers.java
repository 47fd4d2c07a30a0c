// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka;

/** The broker's own request handling with requests from the rings. */
public interface RequestHandlers extends AutoCloseable {
    void start();

    /**
     * Stops the threads, waits for them within the timeout (nanoseconds), and then frees their resources. Idempotent.
     */
    void stop(long timeoutNs);

    @Override
    void close();
}
