// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.protocol.slot.SlotWriter;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * The slot table and the arm table of one link, and the use of their entries.
 *
 * <p>Each field has one writer at a time. The holder of its log's lock writes a slot. The heartbeat thread writes the
 * heartbeat. The holder of this object's lock writes the list of free entries. The lowest free entry is used first, so
 * that entries in use are adjacent and one READ refreshes them all.
 */
final class SlotTablePublisher {
    private static final VarHandle ARM_WORD =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private record Cooling(int index, long freeAtNs) {}

    final MemoryRegion table;
    final MemoryRegion arms;
    private final ByteBuffer tableBuffer;
    private final ByteBuffer armBuffer;
    private final SlotWriter writer;
    private final IntConsumer doorbell;
    private final long leaseNs;
    private final int[] generations;
    private final BitSet used;
    private final ArrayDeque<Cooling> cooling = new ArrayDeque<>();
    private boolean closed;

    /** Allocates the tables. The domain frees them at the latest, also after an exception. */
    SlotTablePublisher(ProtectionDomain domain, ReadsConfig config, IntConsumer doorbell) throws IOException {
        int slots = config.slotCount();
        this.doorbell = doorbell;
        this.leaseNs = config.leaseNs();
        this.generations = new int[slots];
        this.used = new BitSet(slots);
        this.table = domain.allocate(SlotLayout.tableBytes(slots), Set.of(Access.REMOTE_READ));
        this.arms = domain.allocate((long) slots * Long.BYTES, Set.of(Access.REMOTE_WRITE));
        this.tableBuffer = table.buffer();
        this.armBuffer = arms.buffer();
        SlotTableHeader.initialise(tableBuffer, config.bootId(), slots);
        this.writer = new SlotWriter(tableBuffer, slots);
    }

    int slotCount() {
        return generations.length;
    }

    /** Takes a free entry with a new {@link #generation}; returns -1 if there is none. */
    synchronized int take() {
        int index = used.nextClearBit(0);
        if (index >= generations.length) {
            return -1;
        }
        used.set(index);
        generations[index]++;
        return index;
    }

    synchronized int generation(int index) {
        return generations[index];
    }

    synchronized int inUse() {
        return used.cardinality();
    }

    /** Returns an entry that no reader knows. */
    synchronized void putBack(int index) {
        used.clear(index);
    }

    /** Returns a revoked entry. Readers see it revoked for a lease before it serves another partition. */
    synchronized void retire(int index, long nowNs) {
        cooling.add(new Cooling(index, nowNs + leaseNs));
    }

    synchronized void reclaim(long nowNs) {
        while (!cooling.isEmpty() && cooling.peek().freeAtNs - nowNs <= 0) {
            used.clear(cooling.poll().index);
        }
    }

    /** The caller holds the lock of the slot's log. */
    void publish(int index, int generation, int flags, int leaderEpoch, LogState state, int abortedCount) {
        writer.publish(
                index,
                flags,
                generation,
                leaderEpoch,
                state.segmentBaseOffset,
                state.highWatermark,
                state.highWatermarkPosition,
                abortedCount,
                state.lastStableOffset,
                state.logStartOffset);
        ring(index);
    }

    /** The caller holds the lock of the slot's log. */
    void revoke(int index) {
        writer.revoke(index);
        ring(index);
    }

    /**
     * Wakes a reader that sleeps on the slot. The fence orders the change of the slot before the read of the arm word.
     * A reader that arms too late for this check reads the slot after arming, and so sees the change.
     */
    private void ring(int index) {
        VarHandle.fullFence();
        int word = index * Long.BYTES;
        if ((long) ARM_WORD.getOpaque(armBuffer, word) != 0 && (long) ARM_WORD.getAndSet(armBuffer, word, 0L) != 0) {
            doorbell.accept(index);
        }
    }

    /** Heartbeat thread only. */
    synchronized void beat() {
        if (!closed) {
            SlotTableHeader.beat(tableBuffer);
        }
    }

    /**
     * Ends the heartbeats. The caller has already ended all writes of slots. The memory is not touched after this call.
     */
    synchronized void close() {
        closed = true;
    }
}
