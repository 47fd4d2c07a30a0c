// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

/** A waiter's entry in the list of waiters of one slot. Intrusive, so that parking allocates nothing. */
public final class ParkedSlot {
    final Runnable waiter;
    ParkedSlot previous;
    ParkedSlot next;
    int slot = -1;

    /**
     * @param waiter run on the event loop when the armed slot changed or the lease expired, so that the slot must be
     *     read again; may be spurious
     */
    public ParkedSlot(Runnable waiter) {
        this.waiter = waiter;
    }

    public boolean isParked() {
        return slot >= 0;
    }
}
