// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.LiveLink;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.protocol.fetch.BatchWalk;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.proxy.buffer.OutboundBudget;
import java.nio.ByteBuffer;

/**
 * Reads the planned ranges of segments consecutively into one buffer, with space for the response's fields before and
 * after them, and trims them to whole batches. The buffer belongs to the outstanding READs until their handler was
 * called.
 */
final class DataReader {
    /** A READ is one message, whose size devices limit, some to 8 MiB. */
    static final int MOST_READ_BYTES = 4 << 20;

    private final OutboundBudget budget;
    private final BatchWalk walk = new BatchWalk();

    private ByteBuf memory;
    private ByteBuffer bytes;
    /** The chunk that owns the memory if others use it, too; else null. */
    private ReadChunk sharedChunk;

    private boolean readByOthers;
    private long budgeted;
    private int entries;
    private int nextEntry;
    private int nextIndex;
    /** Bytes of {@link #nextEntry} for which READs were posted. */
    private int entryBytes;

    DataReader(OutboundBudget budget) {
        this.budget = budget;
    }

    /**
     * Takes memory for the plan; false if the budget does not allow it now, or none is free. Call {@link #postMore}
     * next.
     */
    boolean begin(ReadMemory from, ReadPlan plan, int entryCount, int roomBytes) {
        long size = plan.totalBytes + 2L * roomBytes;
        memory = size > Integer.MAX_VALUE ? null : budget.read(from, (int) size);
        if (memory == null) {
            return false;
        }
        budgeted = size;
        bytes = from.bytesOf(memory);
        entries = entryCount;
        nextEntry = 0;
        entryBytes = 0;
        nextIndex = roomBytes;
        skipEmpty(plan);
        return true;
    }

    /**
     * Takes over, or shares, the data of a chunk for the plan's only entry with data; the chunk is READY and covers it.
     */
    void adopt(ReadChunk chunk, Cursor cursor, ReadPlan plan) {
        plan.entries[plan.firstNonEmpty].rangeIndex = chunk.indexOf(cursor);
        bytes = chunk.bytes;
        if (chunk.shared) {
            memory = chunk.hold();
            sharedChunk = chunk;
            readByOthers = chunk.isUsedAgain();
        } else {
            budgeted = chunk.budgetedBytes();
            memory = chunk.handOver();
        }
        entries = 0;
        nextEntry = 0;
    }

    /** Whether others read the memory, too, so that it must not be written. */
    boolean isShared() {
        return sharedChunk != null;
    }

    /** Record bytes that an earlier answer used, too. */
    int bytesReadByOthers(ReadPlan plan) {
        return readByOthers ? plan.entries[plan.firstNonEmpty].recordBytes : 0;
    }

    /** Posts READs, a window of them at a time; returns their number. 0 means refused, unless {@link #isAllPosted}. */
    int postMore(LiveLink link, CompletionHandler handler, Cursor[] cursors, ReadPlan plan) {
        int posted = 0;
        while (!isAllPosted() && posted < SlotReader.WINDOW) {
            Cursor cursor = cursors[nextEntry];
            ReadPlan.Entry entry = plan.entries[nextEntry];
            int length = Math.min(entry.lengthBytes - entryBytes, MOST_READ_BYTES);
            long remote = cursor.segment.memory.address() + cursor.position + entryBytes;
            int rkey = cursor.segment.memory.rkey();
            if (!link.read(handler, memory.memoryAddress() + nextIndex + entryBytes, length, remote, rkey)) {
                break;
            }
            posted++;
            entryBytes += length;
            if (entryBytes == entry.lengthBytes) {
                entry.rangeIndex = nextIndex;
                nextIndex += entryBytes;
                nextEntry++;
                entryBytes = 0;
                skipEmpty(plan);
            }
        }
        return posted;
    }

    /** Where the planned bytes of the only entry go, before {@link #postMore}. */
    long address() {
        return memory.memoryAddress() + nextIndex;
    }

    /** Whether it holds what this plan of one partition reads. If not, it releases what it holds. */
    boolean holds(ReadPlan plan, int heldBytes) {
        if (memory == null) {
            return false;
        } else if (plan.kind == ReadPlan.Kind.READ && plan.totalBytes > 0 && plan.totalBytes <= heldBytes) {
            plan.entries[0].rangeIndex = nextIndex;
            nextEntry = entries;
            return true;
        }
        release();
        return false;
    }

    private void skipEmpty(ReadPlan plan) {
        while (nextEntry < entries && plan.entries[nextEntry].lengthBytes == 0) {
            nextEntry++;
        }
    }

    boolean isAllPosted() {
        return nextEntry == entries;
    }

    /** Trims the data of that entry to the batches that may be served. The result is valid until the next call. */
    BatchWalk cut(int i, FetchRequestView request, ReadPlan plan) {
        ReadPlan.Entry entry = plan.entries[i];
        walk.walk(
                bytes,
                entry.rangeIndex,
                entry.rangeIndex + entry.lengthBytes,
                request.partitions.fetchOffset(i),
                entry.limitOffset,
                entry.lengthBytes,
                i == plan.firstNonEmpty);
        entry.recordIndex = walk.startIndex;
        entry.recordBytes = walk.stop.isTorn() ? 0 : walk.acceptedBytes();
        entry.recordCount = walk.recordCount;
        entry.nextOffset = walk.nextOffset;
        entry.lastEpoch = walk.lastLeaderEpoch;
        return walk;
    }

    /** Size of the batch after the accepted ones, 0 if unknown. */
    int followingBatchBytes(ReadPlan.Entry entry) {
        int next = entry.recordIndex + entry.recordBytes;
        if (entry.rangeIndex + entry.lengthBytes - next < BatchHeader.OVERHEAD_BYTES) {
            return 0;
        }
        long size = BatchHeader.sizeBytes(bytes, next);
        return size < BatchHeader.BYTES || size > Integer.MAX_VALUE ? 0 : (int) size;
    }

    /** Hands the buffer over; null if nothing was read. */
    ByteBuf take() {
        ByteBuf taken = memory;
        memory = null;
        bytes = null;
        budget.giveBack(OutboundBudget.Kind.READ, budgeted);
        budgeted = 0;
        readByOthers = false;
        if (sharedChunk != null) {
            ReadChunk left = sharedChunk;
            sharedChunk = null;
            left.leave();
        }
        return taken;
    }

    /** Releases the buffer; only while no READ is outstanding. */
    void release() {
        ByteBuf taken = take();
        if (taken != null) {
            taken.release();
        }
    }
}
