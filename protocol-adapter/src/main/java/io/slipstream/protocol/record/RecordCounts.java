// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.record;

import java.nio.ByteBuffer;

/** Counts records from batch headers. */
public final class RecordCounts {
    private RecordCounts() {}

    /**
     * Number of records in the whole version 2 batches of {@code [from, to)}. The count excludes a partial batch at the
     * end, which Fetch answers may have, and all bytes after an old or corrupt batch.
     */
    public static long inBatches(ByteBuffer bytes, int from, int to) {
        long records = 0;
        int at = from;
        while (to - at >= BatchHeader.BYTES) {
            long size = BatchHeader.sizeBytes(bytes, at);
            if (size < BatchHeader.BYTES || size > to - at || BatchHeader.magic(bytes, at) != BatchHeader.MAGIC) {
                break;
            }
            records += Math.max(0, BatchHeader.recordsCount(bytes, at));
            at += (int) size;
        }
        return records;
    }
}
