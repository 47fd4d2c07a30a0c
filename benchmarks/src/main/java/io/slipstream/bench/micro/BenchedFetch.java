// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.SegmentGrants;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.protocol.slot.SlotView;
import io.slipstream.protocol.slot.SlotWriter;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.count.PartitionTable;
import io.slipstream.proxy.fetch.AbortedLists;
import io.slipstream.proxy.fetch.CursorTable;
import io.slipstream.proxy.fetch.FetchPlanner;
import io.slipstream.proxy.fetch.ReadPlan;
import io.slipstream.proxy.fetch.ResponseAssembly;
import io.slipstream.proxy.fetch.SlotSource;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/**
 * The work of a Fetch between its READs, on slots and records already in memory. The batches of all partitions lie in
 * one buffer in order, as they are read. Confined to one thread.
 */
public final class BenchedFetch implements SlotSource, AutoCloseable {
    private static final int TABLE_ID = 1;
    private static final int GENERATION = 3;
    private static final int SEGMENT_BYTES = 1 << 24;

    private final FetchRequestView request = new FetchRequestView();
    private final RequestHeaderView header = new RequestHeaderView();
    private final FetchPlanner planner = new FetchPlanner();
    private final ReadPlan plan = new ReadPlan();
    private final ResponseAssembly assembly = new ResponseAssembly(PooledMemory.ALLOCATOR);
    private final AbortedLists aborted = new AbortedLists(() -> {});
    private final MeterRegistry registry = new MeterRegistry(Meter.values());
    private final CursorTable cursors;
    private final ByteBuffer table;
    private final int[] order;
    private final int roomBytes;
    private final int batchBytes;
    private final ByteBuf data;
    private long clockNs;

    /**
     * @param frame a Fetch of some partitions from offset 0, from the request header on
     * @param batchBytes readable bytes in each partition, within all limits
     */
    public BenchedFetch(ByteBuffer frame, int batchBytes) {
        check(header.wrap(frame) && request.wrap(frame, header.bodyPosition, header.apiVersion));
        int partitions = request.partitions.count;
        cursors = new CursorTable(() -> {}, registry.count(Meter.GRANTS), new PartitionTable(), 2 * partitions);
        check(cursors.resolve(request.partitions, 0));
        table = ByteBuffer.allocateDirect(SlotLayout.tableBytes(partitions) + SlotLayout.SLOT_BYTES)
                .alignedSlice(SlotLayout.SLOT_BYTES);
        SlotTableHeader.initialise(table, TABLE_ID, partitions);
        SlotWriter slots = new SlotWriter(table, partitions);
        RemoteMemory segment = new RemoteMemory(1 << 30, SEGMENT_BYTES, 17);
        for (int i = 0; i < partitions; i++) {
            slots.publish(i, 0, GENERATION, 5, 0, 1, batchBytes, 0, 1, 0);
            cursors.entries[i].locate(
                    new ControlResponse.Locate(ControlError.NONE, null, null, null, i, GENERATION, 0, 0, segment, -1),
                    new SegmentGrants.Segment(segment),
                    0,
                    FetchRequestView.NONE);
        }
        order = IntStream.range(0, partitions).toArray();
        roomBytes = ResponseAssembly.roomBytes(request);
        this.batchBytes = batchBytes;
        data = PooledMemory.ALLOCATOR.directBuffer(2 * roomBytes + partitions * batchBytes);
        check(plan() == partitions);
    }

    /** Finds the cursors and decides by the slots. Returns the number of partitions to read. */
    public int plan() {
        check(cursors.resolve(request.partitions, ++clockNs));
        planner.plan(request, cursors.entries, this, Integer.MAX_VALUE, false, order, plan);
        check(plan.kind == ReadPlan.Kind.READ);
        return plan.partitionsToRead;
    }

    /** Builds the answer with the planned records and returns it to the pool. Returns its size in bytes. */
    public int respond() {
        for (int i = 0; i < order.length; i++) {
            plan.entries[i].recordIndex = roomBytes + i * batchBytes;
            plan.entries[i].recordBytes = batchBytes;
        }
        ByteBuf response = assembly.respond(
                request,
                header.correlationId,
                0,
                plan,
                order,
                order.length,
                cursors.entries,
                aborted,
                data.retain(),
                false);
        int sizeBytes = response.readableBytes();
        response.release();
        return sizeBytes;
    }

    @Override
    public void slotOf(int entry, SlotView view) {
        view.wrap(table, SlotLayout.slotOffset(entry));
    }

    private static void check(boolean sound) {
        if (!sound) {
            throw new IllegalStateException("the benchmark's fetch is not planned as it should be");
        }
    }

    @Override
    public void close() {
        data.release();
        registry.close();
    }
}
