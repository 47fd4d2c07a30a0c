package io.slipstream.protocol.produce;

import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;

/**
 * A Produce request, version 3 to 13, walked where it lies: nothing is copied, allocated or thrown. What it says holds while the
 * frame is not changed. A flyweight for one thread.
 *
 * <pre>
 *   transactionalId nullable string │ acks i16 │ timeoutMs i32 │ [topic string (id uuid from 13) [partition i32, records]]
 *   flexible from 9
 * </pre>
 */
public final class ProduceRequestView {
    public static final short OLDEST_VERSION = 3;
    public static final short LATEST_VERSION = 13;

    private static final short FIRST_FLEXIBLE = 9;
    private static final short FIRST_TOPIC_ID = 13;

    private final WireCursor cursor = new WireCursor();
    private ByteBuffer frame;
    private ProduceEligibility eligibility = ProduceEligibility.MALFORMED;
    private boolean transactional;
    private short acks;
    private int timeoutMs;
    private int topicCount;
    private int partitionCount;
    private long recordCount;
    private long recordBytes;

    /**
     * Walks the body that reaches from {@code bodyPosition} (an index, see {@code RequestHeaderView}) to the buffer's limit.
     *
     * @return whether it is eligible
     */
    public boolean wrap(ByteBuffer request, int bodyPosition, short version) {
        frame = request;
        eligibility = ProduceEligibility.ELIGIBLE;
        transactional = false;
        acks = 0;
        timeoutMs = 0;
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
        timeoutMs = in.int32();
        topicCount = in.nonNullArrayCount(1);
        for (int i = 0; i < topicCount && !in.failed(); i++) {
            if (version >= FIRST_TOPIC_ID) {
                in.skip(16);
            } else {
                in.skipString(false);
            }
            int partitions = in.nonNullArrayCount(5);
            partitionCount += partitions;
            for (int j = 0; j < partitions && !in.failed(); j++) {
                in.skip(Integer.BYTES);
                int length = in.bytesLength();
                int start = in.position();
                in.skip(Math.max(0, length));
                if (!in.failed()) {
                    batch(start, length);
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

    /** The first reason stays. */
    private void refuse(ProduceEligibility reason) {
        if (eligibility == ProduceEligibility.ELIGIBLE) {
            eligibility = reason;
        }
    }

    public ProduceEligibility eligibility() {
        return eligibility;
    }

    public boolean isEligible() {
        return eligibility == ProduceEligibility.ELIGIBLE;
    }

    /** A transactional id is named, or a batch is marked transactional. */
    public boolean isTransactional() {
        return transactional;
    }

    public short acks() {
        return acks;
    }

    public int timeoutMs() {
        return timeoutMs;
    }

    public int topicCount() {
        return topicCount;
    }

    public int partitionCount() {
        return partitionCount;
    }

    /** Records that the batches' headers claim; for metrics. */
    public long recordCount() {
        return recordCount;
    }

    /** Bytes of all partitions' records, batch headers included. */
    public long recordBytes() {
        return recordBytes;
    }
}
