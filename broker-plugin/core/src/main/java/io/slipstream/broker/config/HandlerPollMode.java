// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

/** How a handler thread waits when it has nothing to do; {@code slipstream.poll}. */
public enum HandlerPollMode {
    /** Polls all the time while it owns a link: lowest latency, a core for each thread. Without links it sleeps. */
    BUSY,
    /** Spins for a bounded time before it sleeps, and only while wake-ups have been coming that soon. */
    ADAPTIVE,
    /** Sleeps on the completion queue's descriptor at once. */
    EVENT
}
