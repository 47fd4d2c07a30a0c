// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.meter;

/** The reason why a request that could use RDMA took TCP. The lower-case name is the label of the metric. */
public enum FallbackReason {
    /** RDMA is switched off in the configuration or at run time. */
    DISABLED,
    /** The broker has no plugin that this proxy can reach. */
    NO_PLUGIN,
    /** The broker's plugin offers a transport that this host cannot use, or that the configuration excludes. */
    NO_PROVIDER,
    /** The link is not up, or was lost. */
    LINK_DOWN,
    /** Session binding was refused or timed out. */
    SESSION_NOT_BOUND,
    /**
     * The broker's settings exclude the client's listener or principal, or a topic that the client wrote to on this
     * connection, from RDMA.
     */
    RDMA_OFF,
    /** The frame, or its answer, is larger than the ring accepts. */
    FRAME_TOO_LARGE,
    /** Ring space or credits are exhausted for too long. */
    RING_FULL,
    /** The request is malformed or uses a feature that only the broker answers exactly. */
    NOT_ELIGIBLE,
    /** A follower's or a replica's fetch, or a fetch that requests a preferred replica. */
    REPLICA,
    /** Refused by the plugin or the slot: not leader, out of range, epoch, authorization, excluded, remote log. */
    NOT_READABLE,
    /** The client's byte-rate quota leaves less than the answer, so the broker answers and throttles if necessary. */
    QUOTA,
    /** The plugin did not list the aborted transactions in time, or there are too many at one offset. */
    ABORTED_TRANSACTIONS,
    /** The grant was revoked, or the log changed during the read. */
    REVOKED,
    /** The slot table's heartbeat has stopped. */
    STALE_SLOTS,
    /** A bound of the plugin or the proxy is reached. */
    LIMIT,
    /** The proxy failed, for example for lack of memory. */
    INTERNAL_ERROR;

    /** Whether later requests of the client are expected to use RDMA. */
    public boolean isPassing() {
        return this == SESSION_NOT_BOUND || this == LINK_DOWN;
    }
}
