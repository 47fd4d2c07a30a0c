// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

/** Waits to post a READ that the link could not accept. */
@FunctionalInterface
public interface RoomWaiter {
    /**
     * The link may have room now, unless earlier waiters took it. Called on the event loop, possibly after the waiter
     * has given up.
     */
    void onRoom();
}
