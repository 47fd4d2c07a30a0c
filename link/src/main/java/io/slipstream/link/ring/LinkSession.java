// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

/** A client connection that is bound to a link. All methods are called on the event loop. */
public interface LinkSession {
    /** The broker mutes (true) or unmutes the session. */
    void onThrottle(boolean muted);

    /**
     * The link and its session are lost. The {@link RingClient} has already received the outcome of requests in the
     * ring.
     */
    void onLinkLost(String reason);
}
