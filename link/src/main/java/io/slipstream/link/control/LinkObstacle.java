// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

/** Why a request cannot use a link. */
public enum LinkObstacle {
    /** The broker has no reachable plugin. */
    NO_PLUGIN,
    /** The broker's plugin offers a transport that this host cannot use, or that the settings exclude. */
    NO_PROVIDER,
    /** The link is not up, or was lost. */
    LINK_DOWN,
    /** Ring space or credits are exhausted for too long. */
    RING_FULL
}
