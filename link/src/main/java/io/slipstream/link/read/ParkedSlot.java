// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

/** A waiter's place in the list of those who wait for one slot. Intrusive: parking allocates nothing. */
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
