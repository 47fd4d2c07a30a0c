// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.config;

/** How a thread waits for the completions of its links; {@code rdma.poll} and {@code slipstream.poll}. */
public enum PollMode {
    /**
     * Does not sleep: a proxy's event loop while a work request or a reply is outstanding, a broker's handler thread
     * while it owns a link. A parked Fetch does not count, because a doorbell announces new records at an unknown time.
     */
    BUSY,
    /** Polls for a bounded time before it sleeps, as long as that pays. */
    ADAPTIVE,
    /** Sleeps as soon as the completion queue is empty. */
    EVENT
}
