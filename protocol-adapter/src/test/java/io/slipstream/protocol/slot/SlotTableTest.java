// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.Seeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotTableTest {
    private static final int SLOTS = 4;

    static ByteBuffer table(int slots) {
        ByteBuffer raw = ByteBuffer.allocateDirect(SlotLayout.tableBytes(slots) + 64);
        return raw.alignedSlice(64);
    }

    @Test
    void shouldReadBackWhatWasPublishedAndLeaveNeighboursAlone() {
        Random random = Seeds.random("SlotTableTest");
        ByteBuffer table = table(SLOTS);
        SlotTableHeader.initialise(table, 99, SLOTS);
        SlotWriter writer = new SlotWriter(table, SLOTS);
        SlotView view = new SlotView();
        for (int i = 0; i < 1_000; i++) {
            int flags = random.nextInt(4);
            int generation = random.nextInt();
            int epoch = random.nextInt();
            long base = random.nextLong();
            long highWatermark = random.nextLong();
            int position = random.nextInt();
            int aborted = random.nextInt();
            long stable = random.nextLong();
            long start = random.nextLong();
            writer.publish(2, flags, generation, epoch, base, highWatermark, position, aborted, stable, start);

            view.wrap(table, SlotLayout.slotOffset(2));
            assertThat(view.isConsistent()).isTrue();
            assertThat(view.sequence()).isEqualTo(2 * (i + 1));
            assertThat(view.flags()).isEqualTo(flags);
            assertThat(view.isRevoked()).isEqualTo((flags & 1) != 0);
            assertThat(view.mayHoldAbortedTransactions()).isEqualTo((flags & 2) != 0);
            assertThat(view.generation()).isEqualTo(generation);
            assertThat(view.leaderEpoch()).isEqualTo(epoch);
            assertThat(view.segmentBaseOffset()).isEqualTo(base);
            assertThat(view.highWatermark()).isEqualTo(highWatermark);
            assertThat(view.highWatermarkPosition()).isEqualTo(position);
            assertThat(view.abortedCount()).isEqualTo(aborted);
            assertThat(view.lastStableOffset()).isEqualTo(stable);
            assertThat(view.logStartOffset()).isEqualTo(start);
        }
        for (int slot : new int[] {0, 1, 3}) {
            assertThat(view.wrap(table, SlotLayout.slotOffset(slot)).isConsistent())
                    .as("a slot never published does not count")
                    .isFalse();
        }
    }

    @Test
    void shouldFollowTheDocumentedLayout() {
        ByteBuffer table = table(1);
        SlotTableHeader.initialise(table, 0x1122334455667788L, 1);
        new SlotWriter(table, 1).publish(0, 2, 3, 4, 5, 6, 7, 10, 8, 9);
        ByteBuffer bytes = table.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        assertThat(bytes.getInt(0)).isEqualTo(0x54304c53);
        assertThat(bytes.getInt(4)).isEqualTo(2);
        assertThat(bytes.getLong(8)).isEqualTo(0x1122334455667788L);
        assertThat(bytes.getInt(24)).isEqualTo(1);
        assertThat(bytes.getInt(64)).isEqualTo(2);
        assertThat(bytes.getInt(64 + 4)).isEqualTo(2);
        assertThat(bytes.getInt(64 + 8)).isEqualTo(3);
        assertThat(bytes.getInt(64 + 12)).isEqualTo(4);
        assertThat(bytes.getLong(64 + 16)).isEqualTo(5);
        assertThat(bytes.getLong(64 + 24)).isEqualTo(6);
        assertThat(bytes.getInt(64 + 32)).isEqualTo(7);
        assertThat(bytes.getLong(64 + 40)).isEqualTo(8);
        assertThat(bytes.getLong(64 + 48)).isEqualTo(9);
        assertThat(bytes.getInt(64 + 60)).isEqualTo(2);
    }

    @Test
    void shouldNotAcceptAnySingleChangedBit() {
        ByteBuffer table = table(1);
        SlotTableHeader.initialise(table, 1, 1);
        new SlotWriter(table, 1).publish(0, 0, 1, 2, 3, 4, 5, 8, 6, 7);
        SlotView view = new SlotView().wrap(table, 64);
        for (int bit = 0; bit < 512; bit++) {
            table.put(64 + bit / 8, (byte) (table.get(64 + bit / 8) ^ (1 << (bit % 8))));
            assertThat(view.isConsistent()).as("bit %d", bit).isFalse();
            table.put(64 + bit / 8, (byte) (table.get(64 + bit / 8) ^ (1 << (bit % 8))));
            assertThat(view.isConsistent()).isTrue();
        }
    }

    @Test
    void shouldRevokeWithoutTouchingTheRest() {
        ByteBuffer table = table(1);
        SlotTableHeader.initialise(table, 1, 1);
        SlotWriter writer = new SlotWriter(table, 1);
        writer.publish(0, SlotLayout.FLAG_ABORTED_TRANSACTIONS, 1, 2, 3, 4, 5, 8, 6, 7);
        writer.revoke(0);
        SlotView view = new SlotView().wrap(table, 64);
        assertThat(view.isConsistent()).isTrue();
        assertThat(view.flags()).isEqualTo(3);
        assertThat(view.generation()).isEqualTo(1);
        assertThat(view.highWatermark()).isEqualTo(4);
        assertThat(view.abortedCount()).isEqualTo(8);
        assertThat(view.logStartOffset()).isEqualTo(7);
    }

    @Test
    void shouldWrapTheSequence() {
        ByteBuffer table = table(1);
        SlotTableHeader.initialise(table, 1, 1);
        table.duplicate().order(ByteOrder.LITTLE_ENDIAN).putInt(64, -2).putInt(64 + 60, -2);
        SlotWriter writer = new SlotWriter(table, 1);
        SlotView view = new SlotView().wrap(table, 64);
        writer.publish(0, 0, 1, 2, 3, 4, 5, 8, 6, 7);
        assertThat(view.sequence()).isZero();
        assertThat(view.isConsistent()).isTrue();
    }

    @Test
    void shouldKeepTheHeaderAndItsHeartbeat() {
        ByteBuffer table = table(SLOTS);
        SlotTableHeader header = new SlotTableHeader().wrap(table, 0);
        assertThat(header.isValid()).isFalse();
        SlotTableHeader.initialise(table, -7, SLOTS);
        assertThat(header.isValid()).isTrue();
        assertThat(header.bootId()).isEqualTo(-7);
        assertThat(header.slotCount()).isEqualTo(SLOTS);
        assertThat(header.heartbeat()).isZero();
        SlotTableHeader.beat(table);
        SlotTableHeader.beat(table);
        assertThat(header.heartbeat()).isEqualTo(2);
    }

    @Test
    void shouldPublishAndReadWithoutAllocation() {
        ByteBuffer table = table(1);
        SlotTableHeader.initialise(table, 1, 1);
        SlotWriter writer = new SlotWriter(table, 1);
        SlotView view = new SlotView();
        Runnable cycles = () -> {
            for (int i = 0; i < 10_000; i++) {
                writer.publish(0, 0, i, i, i, i, i, i, i, i);
                if (!view.wrap(table, 64).isConsistent() || view.highWatermark() != i) {
                    throw new AssertionError("slot not readable");
                }
            }
        };
        cycles.run();
        assertThat(Allocation.bytesOf(cycles)).isLessThan(10_000);
    }

    @Test
    void shouldRefuseUnsuitableTables() {
        assertThatThrownBy(() -> new SlotWriter(ByteBuffer.allocate(1024), 4))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SlotWriter(table(4), 6)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SlotWriter(table(4), 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SlotWriter(table(4).slice(8, 256), 2))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SlotWriter(table(4), 4).publish(4, 0, 0, 0, 0, 0, 0, 0, 0, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
