// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.link.work.LinkPort;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import java.util.ArrayDeque;

/**
 * The broker's slot table and arm table as seen from here: reads spans of slots, arms slots and wakes those who sleep
 * on them. Confined to the event loop.
 */
public final class SlotTableReader implements CompletionHandler {
    /** Words armed by one WRITE; neighbours that nobody waits for may be armed along, their doorbells find nobody. */
    private static final int ARM_SPAN = 64;

    private final LinkPort port;
    private final RemoteMemory slots;
    private final RemoteMemory armWords;
    private final int slotCount;
    private final LinkMemory local;
    private final ParkedSlot[] parked;
    private final ArrayDeque<SlotWaiter> waking = new ArrayDeque<>();
    private int parkedCount;

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

    public int slotCount() {
        return slotCount;
    }

    /** Waiters' places in use. */
    int parkedCount() {
        return parkedCount;
    }

    /**
     * Reads slots {@code first} to {@code last} to {@code localAddress}, which is the link's memory for reading; false
     * if that could not be posted.
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

    /** Arms {@code first} to {@code last}, which must be near each other; false if that could not be posted. */
    public boolean arm(int first, int last) {
        if (port.isClosed()) {
            return false;
        }
        for (int from = first; from <= last; from += ARM_SPAN) {
            int words = Math.min(ARM_SPAN, last - from + 1);
            long remote = armWords.address() + (long) from * Long.BYTES;
            MemoryRegion ones = local.words();
            long address = ones.address() + LinkMemory.ONES;
            if (!port.write(this, ones.lkey(), address, words * Long.BYTES, remote, armWords.rkey())) {
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

    /** Takes a waiter's place off its list, if it is on one. */
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

    /** The doorbell of a slot rang; false if there is no such slot. */
    public boolean ring(int slot) {
        if (slot >= slotCount) {
            return false;
        }
        collect(slot);
        wakeCollected();
        return true;
    }

    /** Lets everyone look again, for example because the lease ended. */
    public void wakeAll() {
        for (int slot = 0; slot < slotCount; slot++) {
            collect(slot);
        }
        wakeCollected();
    }

    private void collect(int slot) {
        for (ParkedSlot place = parked[slot]; place != null; place = place.next) {
            waking.add(place.waiter);
        }
    }

    /** After the lists were walked, because waking changes them. */
    private void wakeCollected() {
        for (SlotWaiter waiter = waking.poll(); waiter != null; waiter = waking.poll()) {
            waiter.onSlotChanged();
        }
    }

    @Override
    public void onWorkCompleted(CompletionStatus status, int byteLen) {
        // Arming that fails breaks the queue pair, which ends the link and so wakes everyone.
    }
}
