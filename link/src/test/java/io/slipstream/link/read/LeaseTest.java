// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.memory.PlainRegion;
import io.slipstream.link.work.ScriptedQueuePair;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private static final long BOOT_ID = 7;
    private static final Duration LEASE = Duration.ofMillis(200);

    private final ScriptedQueuePair queuePair = new ScriptedQueuePair(4);
    private final PlainRegion words = new PlainRegion(LinkMemory.WORDS_BYTES);
    private final ByteBuffer table = ByteBuffer.allocateDirect(SlotLayout.tableBytes(2))
            .alignedSlice(SlotLayout.SLOT_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    private final Lease lease = new Lease(
            queuePair.port(),
            new RemoteMemory(0, table.capacity(), 1),
            new LinkMemory(null, words, null, null),
            BOOT_ID,
            LEASE.toNanos());

    /** Reads the header once; the broker's heart beats before the READ is carried out. */
    private void readAfterABeat() {
        lease.refresh();
        SlotTableHeader.beat(table);
        carryOut();
    }

    private void carryOut() {
        words.buffer().put(LinkMemory.TABLE_HEADER, table, 0, SlotLayout.HEADER_BYTES);
        queuePair.complete();
    }

    private void awaitAnOldLease() {
        long beganNs = System.nanoTime();
        await().until(() -> System.nanoTime() - beganNs > LEASE.toNanos());
    }

    @Test
    void shouldBeFreshOnceTheHeartBeats() {
        SlotTableHeader.initialise(table, BOOT_ID, 1);
        assertThat(lease.isFresh()).isFalse();

        readAfterABeat();
        assertThat(lease.isFresh()).isTrue();
        assertThat(lease.isAging()).isFalse();
    }

    @Test
    void shouldEndALeaseAfterTheLastBeat() {
        SlotTableHeader.initialise(table, BOOT_ID, 1);
        readAfterABeat();
        awaitAnOldLease();
        lease.refresh();
        carryOut();
        assertThat(lease.isFresh()).isFalse();
    }

    @Test
    void shouldNotBelieveABeatThatMayBeAsOldAsTheReadBeforeIt() {
        SlotTableHeader.initialise(table, BOOT_ID, 1);
        readAfterABeat();
        SlotTableHeader.beat(table);
        awaitAnOldLease(); // as if this process was suspended
        lease.refresh();
        carryOut();
        assertThat(lease.isFresh()).isFalse();

        readAfterABeat();
        assertThat(lease.isFresh()).isTrue();
    }

    @Test
    void shouldNotBelieveTheHeartOfAnotherBroker() {
        SlotTableHeader.initialise(table, BOOT_ID + 1, 1);
        readAfterABeat();
        assertThat(lease.isForeign()).isTrue();
        assertThat(lease.isFresh()).isFalse();
    }
}
