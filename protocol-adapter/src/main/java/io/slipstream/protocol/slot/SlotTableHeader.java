// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.slot;

import static io.slipstream.protocol.slot.SlotWords.INT;
import static io.slipstream.protocol.slot.SlotWords.LONG;

import java.nio.ByteBuffer;

/**
 * The header of a slot table. The broker writes it by {@link #initialise} and {@link #beat}; the proxy reads a copy
 * through this flyweight. All fields but the heartbeat are constant, and the heartbeat is one aligned 8-byte word, so
 * the header needs no sequence.
 */
public final class SlotTableHeader {
    private ByteBuffer buffer;
    private int offset;

    /** Writes the header of a table of zeros. Call it before the table is exported. */
    public static void initialise(ByteBuffer table, long bootId, int slotCount) {
        requireTable(table, slotCount);
        INT.setOpaque(table, SlotLayout.HEADER_VERSION_OFFSET, SlotLayout.VERSION);
        LONG.setOpaque(table, SlotLayout.HEADER_BOOT_ID_OFFSET, bootId);
        INT.setOpaque(table, SlotLayout.HEADER_SLOT_COUNT_OFFSET, slotCount);
        // The magic is written last: a reader that sees it sees the whole header.
        INT.setRelease(table, SlotLayout.HEADER_MAGIC_OFFSET, SlotLayout.MAGIC);
    }

    /**
     * Increments the heartbeat; for one thread. A release store: a reader that sees the beat also sees every slot that
     * this thread published before it.
     */
    public static void beat(ByteBuffer table) {
        long last = (long) LONG.get(table, SlotLayout.HEADER_HEARTBEAT_OFFSET);
        LONG.setRelease(table, SlotLayout.HEADER_HEARTBEAT_OFFSET, last + 1);
    }

    /** Sets the view to a copied header. */
    public SlotTableHeader wrap(ByteBuffer copy, int offset) {
        if (offset < 0 || offset > copy.limit() - SlotLayout.HEADER_BYTES) {
            throw new IndexOutOfBoundsException("slot table header at " + offset + " in " + copy);
        }
        this.buffer = copy;
        this.offset = offset;
        return this;
    }

    /** Whether magic and version are those of this release. */
    public boolean isValid() {
        return SlotWords.getInt(buffer, offset + SlotLayout.HEADER_MAGIC_OFFSET) == SlotLayout.MAGIC
                && SlotWords.getInt(buffer, offset + SlotLayout.HEADER_VERSION_OFFSET) == SlotLayout.VERSION;
    }

    public long bootId() {
        return SlotWords.getLong(buffer, offset + SlotLayout.HEADER_BOOT_ID_OFFSET);
    }

    public long heartbeat() {
        return SlotWords.getLong(buffer, offset + SlotLayout.HEADER_HEARTBEAT_OFFSET);
    }

    public int slotCount() {
        return SlotWords.getInt(buffer, offset + SlotLayout.HEADER_SLOT_COUNT_OFFSET);
    }

    static void requireTable(ByteBuffer table, int slotCount) {
        if (slotCount <= 0 || slotCount > (Integer.MAX_VALUE - SlotLayout.HEADER_BYTES) / SlotLayout.SLOT_BYTES) {
            throw new IllegalArgumentException("slot count " + slotCount);
        }
        if (!table.isDirect() || table.limit() < SlotLayout.tableBytes(slotCount)) {
            throw new IllegalArgumentException("A table of " + slotCount + " slots needs a direct buffer of "
                    + SlotLayout.tableBytes(slotCount) + " bytes, not " + table);
        }
        if (table.alignmentOffset(0, SlotLayout.SLOT_BYTES) != 0) {
            throw new IllegalArgumentException("A slot table must be aligned to " + SlotLayout.SLOT_BYTES + " bytes");
        }
    }
}
