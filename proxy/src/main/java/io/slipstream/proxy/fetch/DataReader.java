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

    private int[] indexes = new int[8];
    int[] recordIndexes = new int[8];
    int[] recordBytes = new int[8];

    DataReader(OutboundBudget budget) {
        this.budget = budget;
    }

    /**
     * Takes memory for the plan; false if the budget does not allow it now, or none is free. Call {@link #postMore}
     * next.
     */
    boolean begin(ReadMemory from, ReadPlan plan, int entryCount, int roomBytes) {
        size(entryCount);
        long size = plan.totalBytes + 2L * roomBytes;
        memory = size > Integer.MAX_VALUE ? null : budget.read(from, (int) size);
        if (memory == null) {
            return false;
        }
        budgeted = size;
        bytes = from.bytesOf(memory);
        nextEntry = 0;
        entryBytes = 0;
        nextIndex = roomBytes;
        skipEmpty(plan);
        return true;
    }

    /** Sets the number of entries, none of which has records yet. */
    void size(int entryCount) {
        entries = entryCount;
        if (indexes.length < entries) {
            int size = Integer.highestOneBit(entries) * 2;
            indexes = new int[size];
            recordIndexes = new int[size];
            recordBytes = new int[size];
        }
        java.util.Arrays.fill(recordBytes, 0, entries, 0);
    }

    /**
     * Takes over, or shares, the data of a chunk for the plan's only entry with data; the chunk is READY and covers it.
     */
    void adopt(ReadChunk chunk, Cursor cursor, ReadPlan plan, int entryCount) {
        size(entryCount);
        indexes[plan.firstNonEmpty] = chunk.indexOf(cursor);
        bytes = chunk.bytes;
        if (chunk.shared) {
            memory = chunk.hold();
            sharedChunk = chunk;
            readByOthers = chunk.isUsedAgain();
        } else {
            budgeted = chunk.budgetedBytes();
            memory = chunk.handOver();
        }
        nextEntry = entries;
    }

    /** Whether others read the memory, too, so that it must not be written. */
    boolean isShared() {
        return sharedChunk != null;
    }

    /** Record bytes that an earlier answer used, too. */
    int bytesReadByOthers(ReadPlan plan) {
        return readByOthers ? recordBytes[plan.firstNonEmpty] : 0;
    }

    /** Posts READs, a window of them at a time; returns their number. 0 means refused, unless {@link #isAllPosted}. */
    int postMore(LiveLink link, CompletionHandler handler, Cursor[] cursors, ReadPlan plan) {
        int posted = 0;
        while (!isAllPosted() && posted < SlotReader.WINDOW) {
            Cursor cursor = cursors[nextEntry];
            int length = Math.min(plan.lengthBytes[nextEntry] - entryBytes, MOST_READ_BYTES);
            long remote = cursor.segment.memory().address() + cursor.position + entryBytes;
            int rkey = cursor.segment.memory().rkey();
            if (!link.read(handler, memory.memoryAddress() + nextIndex + entryBytes, length, remote, rkey)) {
                break;
            }
            posted++;
            entryBytes += length;
            if (entryBytes == plan.lengthBytes[nextEntry]) {
                indexes[nextEntry] = nextIndex;
                nextIndex += entryBytes;
                nextEntry++;
                entryBytes = 0;
                skipEmpty(plan);
            }
        }
        return posted;
    }

    private void skipEmpty(ReadPlan plan) {
        while (nextEntry < entries && plan.lengthBytes[nextEntry] == 0) {
            nextEntry++;
        }
    }

    boolean isAllPosted() {
        return nextEntry == entries;
    }

    /** Trims the data of that entry to the batches that may be served. The result is valid until the next call. */
    BatchWalk cut(int entry, FetchRequestView request, ReadPlan plan) {
        int from = indexes[entry];
        int length = plan.lengthBytes[entry];
        walk.walk(
                bytes,
                from,
                from + length,
                request.fetchOffset(entry),
                plan.limitOffset[entry],
                length,
                entry == plan.firstNonEmpty);
        recordIndexes[entry] = walk.startIndex();
        recordBytes[entry] = walk.stop().isTorn() ? 0 : walk.acceptedBytes();
        return walk;
    }

    /** Bytes of that entry's range up to the end of the accepted batches. */
    int consumedBytes(int entry) {
        return recordIndexes[entry] + recordBytes[entry] - indexes[entry];
    }

    /** Size of the batch after the accepted ones, 0 if unknown. */
    int followingBatchBytes(int entry, ReadPlan plan) {
        int next = recordIndexes[entry] + recordBytes[entry];
        if (indexes[entry] + plan.lengthBytes[entry] - next < BatchHeader.OVERHEAD_BYTES) {
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
