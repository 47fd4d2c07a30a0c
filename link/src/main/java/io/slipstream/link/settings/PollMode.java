// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

/** How an event loop waits for the completions of a link; {@code rdma.poll}. */
public enum PollMode {
    /**
     * Does not sleep while a work request or a reply is outstanding: it polls the completion queue, its sockets and its
     * tasks in turn. A parked Fetch does not count, because a doorbell announces new records at an unknown time.
     */
    BUSY,
    /**
     * Polls for a bounded time while a work request is outstanding, then sleeps. Polling is skipped while it does not
     * pay.
     */
    ADAPTIVE,
    /** Sleeps as soon as the completion queue is empty. */
    EVENT
}
