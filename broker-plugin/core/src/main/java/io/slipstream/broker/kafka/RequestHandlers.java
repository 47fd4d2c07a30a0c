// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka;

/** The broker's own request handling, fed from the rings. */
public interface RequestHandlers extends AutoCloseable {
    void start();

    /** Stops the threads and waits for them, within the deadline; then frees what they held. Idempotent. */
    void stop(long timeoutNs);

    @Override
    void close();
}
