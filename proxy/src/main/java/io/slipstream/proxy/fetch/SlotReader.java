// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.LiveLink;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotView;
import java.nio.ByteBuffer;

/**
 * Copies the slots of a request's cursors into local memory. The plugin keeps slots adjacent, so usually one READ
 * copies the span; scattered slots are read one by one. The memory belongs to the outstanding READs until their handler
 * was called. The copies are valid until {@link #rest}.
 */
final class SlotReader implements SlotSource {
    /** A span is read as one if it is at most this many times as long as the needed slots. */
    private static final int SPAN_WASTE = 4;

    private static final int SMALL_SPAN = 16;
    /** Largest number of outstanding READs of one request. */
    static final int WINDOW = 64;

    private ReadMemory source;
    private ByteBuf memory;
    private ByteBuffer bytes;
    private int[] offsets = new int[8];
    private int first;
    private int last;
    private boolean spanned;
    private Cursor[] cursors;
    private int entries;
    private int posted;

    /**
     * Allocates memory for the slots of these cursors; call {@link #postMore} next. No READ may be outstanding. False
     * if no memory is free.
     */
    boolean begin(ReadMemory from, Cursor[] ofCursors, int count) {
        if (source != from) {
            release();
            source = from;
        }
        cursors = ofCursors;
        entries = count;
        posted = 0;
        if (offsets.length < entries) {
            offsets = new int[Integer.highestOneBit(entries) * 2];
        }
        int span = span(cursors, entries);
        for (int i = 0; i < entries; i++) {
            offsets[i] = (spanned ? cursors[i].slot - first : i) * SlotLayout.SLOT_BYTES;
        }
        return reserve((spanned ? span : entries) * SlotLayout.SLOT_BYTES);
    }

    /** Posts READs, a window of them at a time; returns their number. 0 means refused, unless {@link #isAllPosted}. */
    int postMore(LiveLink link, CompletionHandler handler) {
        if (spanned) {
            posted = link.slots.read(handler, first, last, memory.memoryAddress()) ? entries : 0;
            return posted > 0 ? 1 : 0;
        }
        int before = posted;
        while (posted < entries && posted - before < WINDOW) {
            int slot = cursors[posted].slot;
            if (!link.slots.read(handler, slot, slot, memory.memoryAddress() + offsets[posted])) {
                break;
            }
            posted++;
        }
        return posted - before;
    }

    /**
     * Instead of {@link #begin} and {@link #postMore}: reads the slot of this one cursor, the next bytes of its
     * segment, and the slot again.
     *
     * @param address gets these bytes
     * @return false if nothing was posted
     */
    boolean readAround(LiveLink link, CompletionHandler handler, Cursor[] ofCursors, long address, int lengthBytes) {
        if (!begin(link.readMemory(), ofCursors, 1) || !reserve(2 * SlotLayout.SLOT_BYTES)) {
            return false;
        }
        posted = 1;
        Cursor cursor = ofCursors[0];
        RemoteMemory range = cursor.segment.memory;
        long copies = memory.memoryAddress();
        long from = range.address() + cursor.position;
        return link.slots.readAround(handler, cursor.slot, copies, address, lengthBytes, from, range.rkey());
    }

    /** After {@link #readAround}: has {@link #slotOf} return the later copy. */
    void useLaterCopy() {
        offsets[0] += SlotLayout.SLOT_BYTES;
    }

    boolean isAllPosted() {
        return posted == entries;
    }

    private int span(Cursor[] ofCursors, int count) {
        first = Integer.MAX_VALUE;
        last = 0;
        for (int i = 0; i < count; i++) {
            first = Math.min(first, ofCursors[i].slot);
            last = Math.max(last, ofCursors[i].slot);
        }
        int span = last - first + 1;
        spanned = span <= SMALL_SPAN || span <= SPAN_WASTE * count;
        return span;
    }

    private boolean reserve(int sizeBytes) {
        if (memory == null || memory.capacity() < sizeBytes) {
            release();
            memory = source.take(sizeBytes);
            bytes = memory == null ? null : source.bytesOf(memory);
        }
        return memory != null;
    }

    /** The copies are no longer needed: releases the memory if it is scarce. Only while no READ is outstanding. */
    void rest() {
        if (source != null && source.isScarce()) {
            release();
        }
    }

    /** Arms the slots of these cursors; false if that could not be posted. */
    boolean arm(LiveLink link, Cursor[] ofCursors, int count) {
        span(ofCursors, count);
        if (spanned) {
            return link.slots.arm(first, last);
        }
        for (int i = 0; i < count; i++) {
            if (!link.slots.arm(ofCursors[i].slot, ofCursors[i].slot)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void slotOf(int entry, SlotView view) {
        view.wrap(bytes, offsets[entry]);
    }

    /** Only while no READ is outstanding. */
    void release() {
        if (memory != null) {
            memory.release();
            memory = null;
            bytes = null;
        }
    }
}
