// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

/** How a handler thread waits while it has no work; {@code slipstream.poll}. */
public enum HandlerPollMode {
    /**
     * Polls all the time while the thread owns a link: lowest latency, one core per thread. Without links it sleeps.
     */
    BUSY,
    /** Spins for a bounded time before it sleeps, while recent wake-ups came within about that time. */
    ADAPTIVE,
    /** Sleeps on the completion queue's descriptor at once. */
    EVENT
}
