// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.produce;

import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.record.BatchSink;
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

    private final WireCursor cursor = new WireCursor();
    private ByteBuffer frame;
    public ProduceEligibility eligibility = ProduceEligibility.MALFORMED;
    private int partitionCount;
    /** Number of records in the headers of all batches; for metrics. */
    public long recordCount;
    /** Whether the producer wants no response (acks=0); false if that field cannot be read. */
    public boolean wantsNoResponse;

    /**
     * Reads the body from {@code bodyPosition} (an index, see {@code RequestHeaderView}) to the buffer's limit.
     *
     * @param sink receives each partition; also those before bytes that cannot be read
     * @return whether the request is eligible
     */
    public boolean wrap(ByteBuffer request, int bodyPosition, short version, BatchSink sink) {
        frame = request;
        eligibility = ProduceEligibility.ELIGIBLE;
        partitionCount = 0;
        recordCount = 0;
        wantsNoResponse = false;
        if (version < OLDEST_VERSION || version > LATEST_VERSION) {
            eligibility = ProduceEligibility.UNSUPPORTED_VERSION;
        } else if (bodyPosition < 0 || bodyPosition > request.limit()) {
            eligibility = ProduceEligibility.MALFORMED;
        } else {
            walk(cursor.wrap(request, bodyPosition, request.limit(), version >= FIRST_FLEXIBLE), version, sink);
            if (cursor.failed()) {
                eligibility = ProduceEligibility.MALFORMED;
            } else if (partitionCount == 0) {
                eligibility = ProduceEligibility.EMPTY;
            }
        }
        return eligibility == ProduceEligibility.ELIGIBLE;
    }

    private void walk(WireCursor in, short version, BatchSink sink) {
        in.skipString(true); // transactional id
        short acks = in.int16();
        wantsNoResponse = acks == 0 && !in.failed();
        in.skip(Integer.BYTES); // timeout
        int topics = in.nonNullArrayCount(1);
        for (int i = 0; i < topics && !in.failed(); i++) {
            int topicLength = hasTopicIds(version) ? ID_BYTES : in.stringLength();
            int topicStart = in.position();
            in.skip(topicLength);
            int count = in.nonNullArrayCount(5);
            for (int j = 0; j < count && !in.failed(); j++) {
                int partition = in.int32();
                int length = in.bytesLength();
                int start = in.position();
                in.skip(Math.max(0, length));
                if (!in.failed()) {
                    partitionCount++;
                    int records = batch(start, length);
                    recordCount += records;
                    sink.batch(topicStart, topicLength, partition, records, Math.max(0, length));
                }
                in.skipTags();
            }
            in.skipTags();
        }
        in.skipTags();
    }

    /** Checks the records of a partition; returns the number in the batch's header, 0 if they are not one batch. */
    private int batch(int start, int length) {
        if (length <= 0) {
            refuse(ProduceEligibility.NO_RECORDS);
        } else if (length <= 16) {
            refuse(ProduceEligibility.NOT_ONE_BATCH);
        } else if (BatchHeader.magic(frame, start) != BatchHeader.MAGIC) {
            refuse(ProduceEligibility.OLD_MAGIC);
        } else if (length < BatchHeader.BYTES || BatchHeader.sizeBytes(frame, start) != length) {
            refuse(ProduceEligibility.NOT_ONE_BATCH);
        } else {
            return Math.max(0, BatchHeader.recordsCount(frame, start));
        }
        return 0;
    }

    /** Keeps the first reason. */
    private void refuse(ProduceEligibility reason) {
        if (eligibility == ProduceEligibility.ELIGIBLE) {
            eligibility = reason;
        }
    }

    /** Whether topics are named by 16 bytes of id. */
    public static boolean hasTopicIds(short version) {
        return version >= FIRST_TOPIC_ID;
    }
}
