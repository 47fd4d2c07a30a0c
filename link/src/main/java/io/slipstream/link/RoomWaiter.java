// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

/** Has a READ to post for which the link had no room. */
@FunctionalInterface
public interface RoomWaiter {
    /**
     * There is room now, unless others before took it. On the event loop; may come after the waiter has lost its
     * interest.
     */
    void onRoom();
}
