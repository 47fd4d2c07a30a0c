// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.link.work.LinkPort;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.rdma.MemoryRegion;

/**
 * The proxy's view of the broker's slot table and arm table: reads spans of slots, arms slots, and wakes their waiters.
 * Confined to the event loop.
 */
public final class SlotTableReader {
    /** Words armed by one WRITE. It may also arm neighbours without waiters; their doorbells are ignored. */
    private static final int ARM_SPAN = 64;

    private final LinkPort port;
    private final RemoteMemory slots;
    private final RemoteMemory armWords;
    public final int slotCount;
    private final LinkMemory local;
    private final ParkedSlot[] parked;
    /** Number of entries in use. */
    int parkedCount;

    public SlotTableReader(LinkPort port, LinkMemory local, RemoteMemory slots, RemoteMemory armWords, int slotCount) {
        this.port = port;
        this.slots = slots;
        this.armWords = armWords;
        this.slotCount = slotCount;
        this.parked = new ParkedSlot[slotCount];
        this.local = local;
        for (int i = 0; i < ARM_SPAN; i++) {
            local.words().buffer().putLong(LinkMemory.ONES + i * Long.BYTES, 1);
        }
    }

    /**
     * Reads slots {@code first} to {@code last} into {@code localAddress}, which is in the link's read memory.
     *
     * @return false if the READ could not be posted
     */
    public boolean read(CompletionHandler handler, int first, int last, long localAddress) {
        return port.read(
                handler,
                local.reads().localKey(),
                localAddress,
                (last - first + 1) * SlotLayout.SLOT_BYTES,
                slots.address() + SlotLayout.slotOffset(first),
                slots.rkey());
    }

    /** Whether {@link #readAround} is allowed and pays now. */
    public boolean canReadAround() {
        return port.canReadInOrder();
    }

    /**
     * Reads a slot, then a range of granted memory, then the slot again. {@code local} is in the link's read memory: it
     * gets both copies of the slot, and {@code rangeLocal} the range. Only while {@link #canReadAround}.
     *
     * @return false if the READs could not be posted
     */
    public boolean readAround(
            CompletionHandler handler, int slot, long local, long rangeLocal, int rangeBytes, long range, int rkey) {
        int key = this.local.reads().localKey();
        int slotBytes = SlotLayout.SLOT_BYTES;
        long remote = slots.address() + SlotLayout.slotOffset(slot);
        return port.inOrder(0, key, local, slotBytes, remote, slots.rkey())
                .inOrder(1, key, rangeLocal, rangeBytes, range, rkey)
                .inOrder(2, key, local + slotBytes, slotBytes, remote, slots.rkey())
                .readInOrder(handler);
    }

    /**
     * Arms slots {@code first} to {@code last}, which must be near each other; false if the WRITE could not be posted.
     */
    public boolean arm(int first, int last) {
        if (port.isClosed()) {
            return false;
        }
        for (int from = first; from <= last; from += ARM_SPAN) {
            int words = Math.min(ARM_SPAN, last - from + 1);
            long remote = armWords.address() + (long) from * Long.BYTES;
            MemoryRegion ones = local.words();
            long address = ones.address() + LinkMemory.ONES;
            if (!port.write(ones.lkey(), address, words * Long.BYTES, remote, armWords.rkey())) {
                return false;
            }
        }
        return true;
    }

    public void park(ParkedSlot place, int slot) {
        place.slot = slot;
        place.previous = null;
        place.next = parked[slot];
        if (place.next != null) {
            place.next.previous = place;
        }
        parked[slot] = place;
        parkedCount++;
    }

    /** Removes a waiter's entry from its list, if it is in one. */
    public void unpark(ParkedSlot place) {
        if (!place.isParked()) {
            return;
        }
        if (place.previous == null) {
            parked[place.slot] = place.next;
        } else {
            place.previous.next = place.next;
        }
        if (place.next != null) {
            place.next.previous = place.previous;
        }
        place.previous = null;
        place.next = null;
        place.slot = -1;
        parkedCount--;
    }

    /** Handles the doorbell of a slot; false if there is no such slot. */
    public boolean ring(int slot) {
        if (slot >= slotCount) {
            return false;
        }
        wake(slot);
        return true;
    }

    /** Wakes all waiters, for example because the lease expired. */
    public void wakeAll() {
        for (int slot = 0; slot < slotCount; slot++) {
            wake(slot);
        }
    }

    /** A waiter may take its own place out of the list. */
    private void wake(int slot) {
        ParkedSlot next;
        for (ParkedSlot place = parked[slot]; place != null; place = next) {
            next = place.next;
            place.waiter.run();
        }
    }
}
