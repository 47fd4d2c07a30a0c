// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

/** Sleeps until one of its slots changes. */
public interface SlotWaiter {
    /**
     * An armed slot changed, or the lease expired: the waiter must read again. Called on the event loop; may be
     * spurious.
     */
    void onSlotChanged();
}
