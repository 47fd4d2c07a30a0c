// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.slot;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.protocol.slot.SlotView;
import io.slipstream.protocol.slot.SlotWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The slot reader on the possible results of a one-sided READ: any bytes, and mixes of two publications. Only a whole
 * publication of a writer counts as consistent.
 *
 * <pre>
 *   0 flags u8 (odd: mix) │ 1 mask u8 │ 2 slot, 64 bytes │ 66 fields of the next publication, 48 bytes
 *   114 table header, 64 bytes
 * </pre>
 *
 * In a mix, the mask's bits select each 8-byte word from one of the two publications, because a READ copies at least 8
 * bytes atomically.
 */
class SlotFuzzTest {
    private static final int SLOT = 2;
    private static final int NEXT = SLOT + SlotLayout.SLOT_BYTES;
    private static final int NEXT_BYTES = 48;
    private static final int HEADER = NEXT + NEXT_BYTES;
    private static final int INPUT_BYTES = HEADER + SlotLayout.HEADER_BYTES;

    private final SlotView view = new SlotView();
    private final SlotView published = new SlotView();
    private final SlotTableHeader header = new SlotTableHeader();
    private final ByteBuffer table = ByteBuffer.allocateDirect(SlotLayout.tableBytes(1) + SlotLayout.SLOT_BYTES)
            .alignedSlice(SlotLayout.SLOT_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    private final SlotWriter writer = new SlotWriter(table, 1);

    @FuzzTest
    void shouldBelieveWhatWasPublishedOnly(byte[] input) {
        if (input.length < INPUT_BYTES) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
        boolean[] consistent = new boolean[1];
        HeapUse.requireAtMost(0, () -> consistent[0] = view.wrap(in, SLOT).isConsistent());
        if (consistent[0]) {
            checkPublished(in);
        }
        if ((input[0] & 1) != 0) {
            checkMix(in, input[1]);
        }
        checkHeader(in);
    }

    /** Checks that a writer with these values makes these bytes, so that consistent bytes are a publication. */
    private void checkPublished(ByteBuffer in) {
        int at = SlotLayout.slotOffset(0);
        // The state after the previous publication, from which the writer continues.
        table.putInt(at + SlotLayout.SEQUENCE_BEGIN_OFFSET, view.sequence() - 2);
        publish(view);
        published.wrap(table, at);
        require(published.isConsistent(), "a publication is not consistent");
        for (int i = 0; i < SlotLayout.SLOT_BYTES; i += Long.BYTES) {
            require(
                    in.getLong(SLOT + i) == table.getLong(at + i),
                    "consistent, but no writer publishes it: word " + i / Long.BYTES);
        }
    }

    /** Mixes two successive publications by words. Only a whole publication may count as consistent. */
    private void checkMix(ByteBuffer in, int mask) {
        int at = SlotLayout.slotOffset(0);
        view.wrap(in, SLOT);
        table.putInt(at + SlotLayout.SEQUENCE_BEGIN_OFFSET, view.sequence() & ~1);
        publish(view);
        ByteBuffer mix = ByteBuffer.allocate(SlotLayout.SLOT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long[] before = words();
        writer.publish(
                0,
                in.getInt(NEXT),
                in.getInt(NEXT + 4),
                in.getInt(NEXT + 8),
                in.getLong(NEXT + 12),
                in.getLong(NEXT + 20),
                in.getInt(NEXT + 28),
                in.getInt(NEXT + 24),
                in.getLong(NEXT + 32),
                in.getLong(NEXT + 40));
        long[] after = words();
        boolean old = true;
        boolean fresh = true;
        for (int i = 0; i < before.length; i++) {
            long word = (mask >> i & 1) == 0 ? before[i] : after[i];
            mix.putLong(i * Long.BYTES, word);
            old &= word == before[i];
            fresh &= word == after[i];
        }
        require(
                published.wrap(mix, 0).isConsistent() == (old || fresh),
                "a mix of two publications counts as consistent");
    }

    private long[] words() {
        long[] words = new long[SlotLayout.SLOT_BYTES / Long.BYTES];
        for (int i = 0; i < words.length; i++) {
            words[i] = table.getLong(SlotLayout.slotOffset(0) + i * Long.BYTES);
        }
        return words;
    }

    private void publish(SlotView values) {
        writer.publish(
                0,
                values.flags(),
                values.generation(),
                values.leaderEpoch(),
                values.segmentBaseOffset(),
                values.highWatermark(),
                values.highWatermarkPosition(),
                values.abortedCount(),
                values.lastStableOffset(),
                values.logStartOffset());
    }

    private void checkHeader(ByteBuffer in) {
        HeapUse.requireAtMost(0, () -> header.wrap(in, HEADER).isValid());
        boolean valid = in.getInt(HEADER) == SlotLayout.MAGIC && in.getInt(HEADER + 4) == SlotLayout.VERSION;
        require(header.isValid() == valid, "validity of the header");
        require(header.bootId() == in.getLong(HEADER + 8), "boot id");
        require(header.heartbeat() == in.getLong(HEADER + 16), "heartbeat");
        require(header.slotCount() == in.getInt(HEADER + 24), "slot count");
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
