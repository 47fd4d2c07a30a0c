// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

/** A waiter's entry in the list of waiters of one slot. Intrusive, so that parking allocates nothing. */
public final class ParkedSlot {
    final SlotWaiter waiter;
    ParkedSlot previous;
    ParkedSlot next;
    int slot = -1;

    public ParkedSlot(SlotWaiter waiter) {
        this.waiter = waiter;
    }

    public boolean isParked() {
        return slot >= 0;
    }
}
