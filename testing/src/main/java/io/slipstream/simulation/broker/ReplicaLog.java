// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.simulation.World;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The second copy of a partition. Clients do not read it. It outlives the broker process. */
public final class ReplicaLog implements PartitionCopy {
    private final World world;
    private final List<LoggedBatch> batches = new ArrayList<>();
    private long logStartOffset;
    private long highWatermark;
    private long endOffset;

    ReplicaLog(World world) {
        this.world = world;
    }

    @Override
    public List<LoggedBatch> batches() {
        return batches;
    }

    @Override
    public long logStartOffset() {
        return logStartOffset;
    }

    @Override
    public long endOffset() {
        return endOffset;
    }

    @Override
    public long highWatermark() {
        return highWatermark;
    }

    @Override
    public void appendReplica(byte[] batch) {
        ByteBuffer fields = ByteBuffer.wrap(batch);
        long base = fields.getLong(0);
        if (batches.isEmpty() && base <= endOffset) {
            // The leader's log begins within this batch.
            endOffset = base;
        }
        if (base != endOffset) {
            world.violate("replicas", "a batch at offset " + base + " follows a log that ends at " + endOffset);
            return;
        }
        endOffset += fields.getInt(57);
        batches.add(new LoggedBatch(null, 0, base, endOffset - 1, (int) fields.getLong(43), fields.getInt(53), batch));
    }

    /** Appends as the leader does. */
    void append(Batch batch, int epoch) {
        byte[] bytes = batch.bytes().clone();
        ByteBuffer.wrap(bytes).putLong(0, endOffset).putInt(EPOCH_OFFSET, epoch);
        appendReplica(bytes);
    }

    @Override
    public void truncateTo(long offset) {
        if (offset < highWatermark) {
            world.violate("replicas", "committed records are truncated, from " + offset + " to " + highWatermark);
        }
        while (!batches.isEmpty() && batches.get(batches.size() - 1).lastOffset() >= offset) {
            endOffset = batches.remove(batches.size() - 1).baseOffset();
        }
    }

    @Override
    public void restartAt(long offset) {
        batches.clear();
        endOffset = offset;
        logStartOffset = offset;
        highWatermark = offset;
    }

    @Override
    public void advance(long leaderHighWatermark, long leaderStartOffset) {
        highWatermark = Math.max(highWatermark, Math.min(leaderHighWatermark, endOffset));
        logStartOffset = Math.max(logStartOffset, Math.min(leaderStartOffset, highWatermark));
    }
}
