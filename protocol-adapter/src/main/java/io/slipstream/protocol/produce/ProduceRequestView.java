// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.produce;

import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;

/**
 * View of a Produce request, version 3 to 13, over the frame. It copies, allocates and throws nothing. Its values are
 * valid while the frame is unchanged. A flyweight for one thread.
 *
 * <pre>
 *   transactionalId nullable string │ acks i16 │ timeoutMs i32 │ [topic str (id uuid from 13) [partition i32, records]]
 *   flexible from 9
 * </pre>
 */
public final class ProduceRequestView {
    public static final short OLDEST_VERSION = 3;
    public static final short LATEST_VERSION = 13;

    private static final short FIRST_FLEXIBLE = 9;
    private static final short FIRST_TOPIC_ID = 13;
    private static final int ID_BYTES = 16;
    /** Largest number of partitions for which topic, number and batch are kept. */
    private static final int MOST_PLACES = 16;

    private final WireCursor cursor = new WireCursor();
    private ByteBuffer frame;
    private ProduceEligibility eligibility = ProduceEligibility.MALFORMED;
    private boolean transactional;
    private short acks;
    private int topicCount;
    private int partitionCount;
    private long recordCount;
    private long recordBytes;
    private final int[] topicStarts = new int[MOST_PLACES];
    private final int[] topicLengths = new int[MOST_PLACES];
    private final int[] partitions = new int[MOST_PLACES];
    private final int[] batchStarts = new int[MOST_PLACES];
    private final int[] batchLengths = new int[MOST_PLACES];

    /**
     * Reads the body from {@code bodyPosition} (an index, see {@code RequestHeaderView}) to the buffer's limit.
     *
     * @return whether the request is eligible
     */
    public boolean wrap(ByteBuffer request, int bodyPosition, short version) {
        frame = request;
        eligibility = ProduceEligibility.ELIGIBLE;
        transactional = false;
        acks = 0;
        topicCount = 0;
        partitionCount = 0;
        recordCount = 0;
        recordBytes = 0;
        if (version < OLDEST_VERSION || version > LATEST_VERSION) {
            eligibility = ProduceEligibility.UNSUPPORTED_VERSION;
            return false;
        }
        if (bodyPosition < 0 || bodyPosition > request.limit()) {
            eligibility = ProduceEligibility.MALFORMED;
            return false;
        }
        walk(cursor.wrap(request, bodyPosition, request.limit(), version >= FIRST_FLEXIBLE), version);
        if (cursor.failed()) {
            eligibility = ProduceEligibility.MALFORMED;
        } else if (partitionCount == 0) {
            eligibility = ProduceEligibility.EMPTY;
        }
        return eligibility == ProduceEligibility.ELIGIBLE;
    }

    private void walk(WireCursor in, short version) {
        int idLength = in.stringLength();
        transactional = idLength >= 0;
        in.skip(Math.max(0, idLength));
        acks = in.int16();
        in.skip(Integer.BYTES); // timeout
        topicCount = in.nonNullArrayCount(1);
        int place = 0;
        for (int i = 0; i < topicCount && !in.failed(); i++) {
            int idBytes = version >= FIRST_TOPIC_ID ? ID_BYTES : in.stringLength();
            int idStart = in.position();
            in.skip(idBytes);
            int count = in.nonNullArrayCount(5);
            partitionCount += count;
            for (int j = 0; j < count && !in.failed(); j++) {
                int partition = in.int32();
                int length = in.bytesLength();
                int start = in.position();
                in.skip(Math.max(0, length));
                if (!in.failed()) {
                    batch(start, length);
                    if (place < MOST_PLACES) {
                        topicStarts[place] = idStart;
                        topicLengths[place] = idBytes;
                        partitions[place] = partition;
                        batchStarts[place] = start;
                        batchLengths[place] = length;
                    }
                    place++;
                }
                in.skipTags();
            }
            in.skipTags();
        }
        in.skipTags();
    }

    private void batch(int start, int length) {
        if (length <= 0) {
            refuse(ProduceEligibility.NO_RECORDS);
        } else if (length <= 16) {
            refuse(ProduceEligibility.NOT_ONE_BATCH);
        } else if (BatchHeader.magic(frame, start) != BatchHeader.MAGIC) {
            refuse(ProduceEligibility.OLD_MAGIC);
        } else if (length < BatchHeader.BYTES || BatchHeader.sizeBytes(frame, start) != length) {
            refuse(ProduceEligibility.NOT_ONE_BATCH);
        } else {
            recordCount += Math.max(0, BatchHeader.recordsCount(frame, start));
            transactional |= BatchHeader.isTransactional(frame, start);
        }
        recordBytes += Math.max(0, length);
    }

    /** Keeps the first reason. */
    private void refuse(ProduceEligibility reason) {
        if (eligibility == ProduceEligibility.ELIGIBLE) {
            eligibility = reason;
        }
    }

    public ProduceEligibility eligibility() {
        return eligibility;
    }

    /** Whether the request names a transactional id or has a transactional batch. */
    public boolean isTransactional() {
        return transactional;
    }

    /** Index of the {@code index}th partition's topic: its name, or its 16 bytes of id if {@link #hasTopicIds}. */
    public int topicStart(int index) {
        return topicStarts[index];
    }

    public int topicLength(int index) {
        return topicLengths[index];
    }

    public int partition(int index) {
        return partitions[index];
    }

    public int batchLength(int index) {
        return batchLengths[index];
    }

    public static boolean hasTopicIds(short version) {
        return version >= FIRST_TOPIC_ID;
    }

    /** Number of partitions for which the batch is known; these are the first ones. */
    public int places() {
        return Math.min(partitionCount, MOST_PLACES);
    }

    /**
     * Number of records in the header of the {@code index}th partition's batch, for metrics; 0 if it has no readable
     * header.
     */
    public int batchRecords(int index) {
        return batchLengths[index] >= BatchHeader.BYTES
                        && BatchHeader.magic(frame, batchStarts[index]) == BatchHeader.MAGIC
                ? Math.max(0, BatchHeader.recordsCount(frame, batchStarts[index]))
                : 0;
    }

    public short acks() {
        return acks;
    }

    public int topicCount() {
        return topicCount;
    }

    public int partitionCount() {
        return partitionCount;
    }

    /** Number of records in the headers of all batches; for metrics. */
    public long recordCount() {
        return recordCount;
    }

    /** Bytes of all partitions' records, with batch headers. */
    public long recordBytes() {
        return recordBytes;
    }
}
