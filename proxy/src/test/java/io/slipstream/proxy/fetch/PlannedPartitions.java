// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.SegmentGrants;
import io.slipstream.link.read.ParkedSlot;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.protocol.slot.SlotView;
import io.slipstream.protocol.slot.SlotWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/** Cursors and published slots for {@link FetchPlanner}, one slot for each entry of a request. */
final class PlannedPartitions implements SlotSource {
    static final int GENERATION = 3;
    static final int LEADER_EPOCH = 5;
    static final int SEGMENT_BYTES = 1 << 24;

    final Cursor[] cursors;
    final SlotWriter slots;
    private final ByteBuffer table;
    private final FetchPlanner planner = new FetchPlanner();
    private final ReadPlan plan = new ReadPlan();

    PlannedPartitions(int count) {
        table = ByteBuffer.allocateDirect(SlotLayout.tableBytes(count) + SlotLayout.SLOT_BYTES)
                .alignedSlice(SlotLayout.SLOT_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        SlotTableHeader.initialise(table, 1, count);
        slots = new SlotWriter(table, count);
        cursors = new Cursor[count];
        for (int i = 0; i < count; i++) {
            cursors[i] = new Cursor(new PartitionKey(), new ParkedSlot(() -> {}), null);
        }
    }

    /** Sets the cursor to {@code offset} at {@code position} of a segment that starts at {@code segmentBase}. */
    PlannedPartitions cursor(int entry, long offset, int position, long segmentBase, int sealedBytes) {
        RemoteMemory memory = new RemoteMemory(1 << 30, SEGMENT_BYTES, 17);
        ControlResponse.Locate located = new ControlResponse.Locate(
                ControlError.NONE, null, null, null, entry, GENERATION, segmentBase, position, memory, sealedBytes);
        cursors[entry].locate(located, new SegmentGrants.Segment(memory), offset, -1);
        return this;
    }

    /** The slot of a log whose high watermark equals the last stable offset. */
    PlannedPartitions slot(int entry, long segmentBase, long highWatermark, int highWatermarkPosition) {
        return slot(entry, 0, segmentBase, highWatermark, highWatermarkPosition, highWatermark, 0);
    }

    PlannedPartitions slot(
            int entry, int flags, long segmentBase, long highWatermark, int position, long stable, long logStart) {
        slots.publish(
                entry, flags, GENERATION, LEADER_EPOCH, segmentBase, highWatermark, position, 0, stable, logStart);
        return this;
    }

    ReadPlan plan(FetchRequestView request) {
        return plan(request, false);
    }

    ReadPlan plan(FetchRequestView request, boolean noWaitLeft) {
        return plan(
                request,
                noWaitLeft,
                IntStream.range(0, request.partitions.count).toArray());
    }

    ReadPlan plan(FetchRequestView request, boolean noWaitLeft, int[] order) {
        return planner.plan(request, cursors, this, Integer.MAX_VALUE, noWaitLeft, order, plan);
    }

    ByteBuffer table() {
        return table;
    }

    @Override
    public void slotOf(int entry, SlotView view) {
        view.wrap(table, SlotLayout.slotOffset(entry));
    }
}
