package io.slipstream.broker.landing;

import io.slipstream.broker.metrics.Placement;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * What takes the place of writing to the file while batches are placed in it: called in the broker's append, under the log's lock, when offsets are
 * assigned and producer state is checked.
 */
final class InPlaceAppend {
    private static final int LENGTH_OFFSET = Long.BYTES;

    private InPlaceAppend() {}

    /**
     * @param records what the broker appends: the batch where it lies, or one that it made of it
     * @return the bytes appended
     */
    static int append(Landing landing, ByteBuffer records, LandingTable table) {
        int end = landing.segment().sizeBytes();
        int size = records.limit();
        LandingWindow holding = landing.handling();
        if (holding.isAt(records, end)) {
            commit(landing.segment(), records, size);
            countInPlace(table.counters(), size);
        } else {
            move(landing, holding, records, end, size, table);
        }
        return size;
    }

    /** The length last, and only when all before it is in memory: from here on recovery takes it for a batch. */
    private static void commit(LandableLog.ActiveSegment segment, ByteBuffer batch, int size) {
        VarHandle.releaseFence();
        batch.putInt(LENGTH_OFFSET, size - LandedLengths.OVERHEAD_BYTES);
        segment.commit(size);
    }

    /**
     * The batch does not lie where the log ends: an announced one before it was refused or was a duplicate, or the broker made another of it.
     * There is room for it up to the end of what is being handled; what is left of that becomes zeros, so that recovery would end there. The next
     * announced ones are moved, too, so the landing is given up.
     */
    private static void move(
            Landing landing, LandingWindow holding, ByteBuffer records, int end, int size, LandingTable table) {
        table.revoke(landing);
        int room = landing.handledTo() - end;
        if (size > room || !holding.holds(end, room) || holding.overlaps(records)) {
            table.counters().increment(PluginMeter.LANDING_CONFLICTS);
            throw table.logs().notLeader("no room for the batch where it was placed; send again");
        }
        ByteBuffer target = holding.view(end, room);
        overwrite(target, records, size);
        commit(landing.segment(), target, size);
        countMoved(table.counters(), size);
    }

    private static void countInPlace(PluginMeters counters, int size) {
        counters.increment(PluginMeter.BATCHES_COMMITTED_IN_PLACE);
        counters.batches(Placement.IN_PLACE, size);
    }

    private static void countMoved(PluginMeters counters, int size) {
        counters.increment(PluginMeter.BATCHES_MOVED);
        counters.batches(Placement.MOVED, size);
    }

    /** All but the length, which is zero meanwhile; zeros behind it. */
    private static void overwrite(ByteBuffer target, ByteBuffer records, int size) {
        target.putInt(LENGTH_OFFSET, 0);
        for (int i = size; i < target.limit(); i++) {
            target.put(i, (byte) 0);
        }
        target.putLong(0, records.getLong(0));
        target.put(
                LandedLengths.OVERHEAD_BYTES,
                records,
                LandedLengths.OVERHEAD_BYTES,
                size - LandedLengths.OVERHEAD_BYTES);
    }

    /**
     * In a shared segment: each batch has its place, before others'.
     *
     * @param turn whose it is
     */
    static int append(SharedLanding landing, Turn turn, ByteBuffer records, SharedLandings table) {
        int size = records.limit();
        LandingWindow holding = turn.batches.window();
        if (holding.isAt(records, turn.position)) {
            commit(landing.segment(), records, size);
            countInPlace(table.counters(), size);
            return size;
        } else if (size > turn.lengthBytes || holding.overlaps(records)) {
            landing.close(SharedLanding.Reason.REFUSED);
            throw table.conflict("no room for the batch where it was placed");
        }
        ByteBuffer target = holding.view(turn.position, turn.lengthBytes);
        overwrite(target, records, size);
        commit(landing.segment(), target, size);
        countMoved(table.counters(), size);
        return size;
    }

    /** A placed batch with its length, elsewhere. */
    static ByteBuffer copyOf(ByteBuffer batch) {
        ByteBuffer copy = ByteBuffer.allocate(batch.limit());
        copy.put(0, batch, 0, batch.limit());
        return copy.putInt(LENGTH_OFFSET, batch.limit() - LandedLengths.OVERHEAD_BYTES);
    }
}
