// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.slot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A reader that copies like a NIC or another process (plain loads, either direction) never accepts a mixed slot. */
class SlotConcurrencyTest {
    private static final long TRIES = Boolean.getBoolean("slipstream.thorough") ? 3_000_000 : 1_000_000;
    /**
     * Each retry proves that both threads ran at once; a busy machine with few cores sees few of them in as many tries.
     */
    private static final long CHANGES = 200;

    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);

    private final ByteBuffer table = SlotTableTest.table(1);
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong mixed = new AtomicLong();

    private enum CopyOrder {
        BULK,
        ASCENDING,
        DESCENDING,
        /** Reads both sequence words first, so that only the checksum detects a mixed slot. */
        SEQUENCES_FIRST
    }

    @Test
    void shouldNeverAcceptAMixedSnapshot() throws InterruptedException {
        for (CopyOrder order : CopyOrder.values()) {
            run(order);
        }
    }

    private void run(CopyOrder order) throws InterruptedException {
        stop.set(false);
        SlotTableHeader.initialise(table, 1, 1);
        AtomicLong accepted = new AtomicLong();
        AtomicLong changes = new AtomicLong();
        Thread writer = new Thread(this::write, "slot-writer");
        Thread reader = new Thread(() -> read(order, accepted, changes), "slot-reader");
        writer.start();
        reader.start();
        reader.join(TimeUnit.NANOSECONDS.toMillis(DEADLINE_NS) + 10_000);
        stop.set(true);
        writer.join(10_000);
        assertThat(reader.isAlive()).isFalse();
        assertThat(mixed).as("mixed snapshots accepted, copying %s", order).hasValue(0);
        assertThat(accepted.get()).as("snapshots accepted, copying %s", order).isGreaterThan(1_000);
        assertThat(changes.get())
                .as("different snapshots seen, copying %s", order)
                .isGreaterThan(100);
    }

    private void write() {
        SlotWriter writer = new SlotWriter(table, 1);
        for (long i = 1; !stop.get(); i++) {
            writer.publish(0, (int) i & 2, (int) i, (int) i, i, i, (int) i, (int) i, i, i);
            for (int pause = 0; pause < (i & 63); pause++) {
                Thread.onSpinWait();
            }
        }
    }

    private void read(CopyOrder order, AtomicLong acceptedCount, AtomicLong changes) {
        ByteBuffer copy = ByteBuffer.allocateDirect(64);
        SlotView view = new SlotView().wrap(copy, 0);
        long start = System.nanoTime();
        long last = -1;
        for (long i = 0; i < TRIES || changes.get() < CHANGES; i++) {
            if ((i & 1023) == 0 && System.nanoTime() - start > DEADLINE_NS) {
                return;
            }
            copy(order, copy);
            if (!view.isConsistent()) {
                continue;
            }
            acceptedCount.incrementAndGet();
            long value = view.highWatermark();
            if (value != last) {
                changes.incrementAndGet();
                last = value;
            }
            if (view.generation() != (int) value
                    || view.leaderEpoch() != (int) value
                    || view.segmentBaseOffset() != value
                    || view.highWatermarkPosition() != (int) value
                    || view.lastStableOffset() != value
                    || view.logStartOffset() != value
                    || view.flags() != ((int) value & 2)) {
                mixed.incrementAndGet();
            }
        }
    }

    private void copy(CopyOrder order, ByteBuffer to) {
        switch (order) {
            case BULK -> to.put(0, table, 64, 64);
            case ASCENDING -> {
                for (int i = 0; i < 64; i += 8) {
                    to.putLong(i, table.getLong(64 + i));
                }
            }
            case DESCENDING -> {
                for (int i = 56; i >= 0; i -= 8) {
                    to.putLong(i, table.getLong(64 + i));
                }
            }
            case SEQUENCES_FIRST -> {
                to.putInt(0, table.getInt(64));
                to.putInt(60, table.getInt(64 + 60));
                for (int i = 4; i < 60; i += 4) {
                    to.putInt(i, table.getInt(64 + i));
                }
            }
        }
    }
}
