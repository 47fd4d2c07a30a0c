// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.LiveLink;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.record.BatchHeader;

/** Reads the beginning of a batch to learn its size. The memory belongs to the READ until the handler was called. */
final class BatchProbe {
    private ByteBuf memory;

    /** Takes memory, unless a READ that could not be posted left some; false if none is free. */
    boolean begin(ReadMemory from) {
        if (memory == null) {
            memory = from.take(BatchHeader.OVERHEAD_BYTES);
        }
        return memory != null;
    }

    /** Posts a READ at the cursor; false if it could not be posted. */
    boolean post(LiveLink link, CompletionHandler handler, Cursor cursor) {
        RemoteMemory segment = cursor.segment.memory;
        return link.read(
                handler,
                memory.memoryAddress(),
                BatchHeader.OVERHEAD_BYTES,
                segment.address() + cursor.position,
                segment.rkey());
    }

    /** The batch's size in bytes according to its header, -1 if it cannot have that size; releases the memory. */
    int takeSize(ReadPlan.Entry planned) {
        long sizeBytes = BatchHeader.OVERHEAD_BYTES + (long) memory.getInt(Long.BYTES);
        release();
        long limitBytes = planned.windowed ? Integer.MAX_VALUE : planned.availableBytes;
        return sizeBytes < BatchHeader.BYTES || sizeBytes > limitBytes ? -1 : (int) sizeBytes;
    }

    /** Only while no READ is outstanding. */
    void release() {
        if (memory != null) {
            memory.release();
            memory = null;
        }
    }
}
