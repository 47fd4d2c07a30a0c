// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

/** A client connection that is bound to a link; told of what concerns it, on the event loop. */
public interface LinkSession {
    /** The broker mutes (true) or unmutes the session. */
    void onThrottle(boolean muted);

    /**
     * The link and the session on it are gone; requests in the ring have been reported to their {@link RingClient}
     * before.
     */
    void onLinkLost(String reason);
}
