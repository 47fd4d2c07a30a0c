// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

/** Why a request cannot go by a link. */
public enum LinkObstacle {
    /** The broker has no plugin that can be reached. */
    NO_PLUGIN,
    /** The broker's plugin offers a transport that this host cannot use, or that the settings rule out. */
    NO_PROVIDER,
    /** The link is not up, or was lost. */
    LINK_DOWN,
    /** The ring or its credits are exhausted for too long. */
    RING_FULL
}
