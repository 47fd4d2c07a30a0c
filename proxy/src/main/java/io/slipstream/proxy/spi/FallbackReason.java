// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

import io.slipstream.link.control.LinkObstacle;

/** Why a request that could have gone by RDMA went over TCP; the lower-case name is the metric's label. */
public enum FallbackReason {
    /** RDMA is switched off in the configuration or at run time. */
    DISABLED,
    /** The broker has no plugin that this proxy can reach. */
    NO_PLUGIN,
    /** The broker's plugin offers a transport that this host cannot use, or that the configuration rules out. */
    NO_PROVIDER,
    /** The link is not up, or was lost. */
    LINK_DOWN,
    /** Session binding was refused or did not finish in time. */
    SESSION_NOT_BOUND,
    /**
     * The broker's settings leave the client's listener or principal to TCP, or a topic that it wrote to on this
     * connection.
     */
    RDMA_OFF,
    /** The frame is larger than the ring takes. */
    FRAME_TOO_LARGE,
    /** The ring or its credits are exhausted for too long. */
    RING_FULL,
    /** The request is malformed or uses a feature that only the broker answers exactly. */
    NOT_ELIGIBLE,
    /** A follower's or a replica's fetch, or a fetch that wants a preferred replica. */
    REPLICA,
    /** The plugin refused to let this offset be read: not leader, out of range, epoch, authorization, tiered … */
    NOT_READABLE,
    /** The client's byte-rate quota leaves less than the answer, so the broker answers, and throttles if it must. */
    QUOTA,
    /**
     * The plugin did not say which aborted transactions a read_committed consumer must know, or there are too many at
     * one offset.
     */
    ABORTED_TRANSACTIONS,
    /** The grant was revoked or the log changed while it was read. */
    REVOKED,
    /** The slot table's heartbeat stands still. */
    STALE_SLOTS,
    /** A bound of the plugin or the proxy is reached. */
    LIMIT;

    public static FallbackReason of(LinkObstacle obstacle) {
        return switch (obstacle) {
            case NO_PLUGIN -> NO_PLUGIN;
            case NO_PROVIDER -> NO_PROVIDER;
            case LINK_DOWN -> LINK_DOWN;
            case RING_FULL -> RING_FULL;
        };
    }
}
