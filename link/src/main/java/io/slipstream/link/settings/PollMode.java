// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

/** How an event loop awaits the completions of a link; {@code rdma.poll}. */
public enum PollMode {
    /**
     * Never sleeps while a work request is outstanding or a reply is awaited: it looks at the completion queue, its
     * sockets and its tasks by turns. A parked Fetch awaits nothing: nobody can say when records come, and a doorbell
     * announces them.
     */
    BUSY,
    /**
     * Polls for a bounded time while a work request is outstanding, then sleeps; not at all while that has not been
     * paying.
     */
    ADAPTIVE,
    /** Sleeps as soon as the completion queue is empty. */
    EVENT
}
