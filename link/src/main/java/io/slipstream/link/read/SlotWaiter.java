// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

/** Sleeps until one of its slots changes. */
public interface SlotWaiter {
    /** One of the armed slots changed, or the lease ended: look again. On the event loop; may come without need. */
    void onSlotChanged();
}
