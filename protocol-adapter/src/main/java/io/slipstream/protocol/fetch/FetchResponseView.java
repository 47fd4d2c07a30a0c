// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * View of a broker's Fetch response, version 4 to 18: whole, or part by part while it arrives. It shows one partition
 * after the other; the fields are valid during the call that receives the partition. Indices in the frame are valid
 * only in a whole response. Allocates nothing and throws nothing. Not thread-safe.
 *
 * <p>The walk goes in small steps. A step runs when {@link #STEP_BYTES} are here, or the rest of the frame.
 */
public final class FetchResponseView {
    private enum Step {
        HEADER,
        RESPONSE,
        TOPIC,
        PARTITIONS,
        PARTITION,
        ABORTED,
        RECORDS,
        PARTITION_END,
        END
    }

    static final short FIRST_SESSION = 7;
    private static final short FIRST_NODE_ENDPOINTS = 16;
    private static final int ID_BYTES = 16;
    /** Bytes of a topic's name that a view of parts keeps: more than a name can have. */
    private static final int KEPT_BYTES = 250;
    /** A step reads at most a varint and the kept bytes. */
    private static final int STEP_BYTES = 5 + KEPT_BYTES;
    /** A tag of one byte that no version of the response uses. */
    private static final byte UNUSED_TAG = 127;

    private final WireCursor in = new WireCursor();
    private final boolean counts;
    private final ByteBuffer kept;
    ByteBuffer frame;
    private short version;
    private boolean flexible;
    /** The next step, after the bytes to skip and the tagged fields before it. */
    private Step next = Step.END;

    private int skipBytes;
    private int tagsLeft;
    private int topicsLeft;
    private int partitionsLeft;
    private int abortedLeft;
    private int recordBytesLeft;

    /** The error of the whole response. */
    short error;
    /** Index in the frame, from version 7 on. */
    int sessionIdPosition;

    int topicsPosition;
    int tagsPosition;
    /** Has the topic's name, or its id from version 13 on, at {@link #topicStart}. Of a long name, only a part. */
    public ByteBuffer topic;

    public int topicStart;
    public int topicLength;
    public int partition;
    public short partitionError;
    public long highWatermark;
    public long logStartOffset;
    public boolean hasDivergingEpoch;
    public boolean hasPreferredReplica;
    public int recordBytes;
    /** Number of records in the partition's whole batches of format version 2, if this view counts them. */
    public long recordCount;
    /** Indices of the records, and of their size. */
    int recordsStart;

    int recordsSizePosition;
    /** The partition's bytes. */
    int start;

    int end;

    /** A view of whole responses that reads no records. */
    public FetchResponseView() {
        this(false, false);
    }

    /**
     * A view that counts records, for which it reads the headers of all batches.
     *
     * @param passedOn whether parts are passed on once they were read. The view then takes out node endpoints without a
     *     change of the size: they get a tag that clients do not know and skip.
     */
    public static FetchResponseView counting(boolean passedOn) {
        return new FetchResponseView(true, passedOn);
    }

    private FetchResponseView(boolean counts, boolean passedOn) {
        this.counts = counts;
        kept = passedOn ? ByteBuffer.allocate(KEPT_BYTES) : null;
    }

    /**
     * Reads the frame (from its header on, without the size) between the buffer's position and limit.
     *
     * @param sink receives each partition
     * @return false if the version is unknown or the frame is malformed
     */
    public boolean walk(ByteBuffer response, short version, Consumer<FetchResponseView> sink) {
        return begin(version, 0) && advance(response, 0, sink) >= 0;
    }

    /**
     * Begins another response.
     *
     * @param prefixBytes number of bytes before its header
     * @return false if the version is unknown
     */
    public boolean begin(short version, int prefixBytes) {
        this.version = version;
        flexible = version >= FetchFields.FIRST_FLEXIBLE;
        next = Step.HEADER;
        skipBytes = prefixBytes;
        tagsLeft = 0;
        return version >= FetchRequestView.OLDEST_VERSION && version <= FetchRequestView.LATEST_VERSION;
    }

    /**
     * Reads the next part, between the buffer's position and limit.
     *
     * @param laterBytes bytes of the frame after this part
     * @return index of the first byte that is not read yet: the next part must begin with it; -1 if the frame is
     *     malformed
     */
    public int advance(ByteBuffer part, int laterBytes, Consumer<FetchResponseView> sink) {
        frame = part;
        int at = part.position();
        int frameEnd = (int) Math.min(Integer.MAX_VALUE, (long) part.limit() + laterBytes);
        while (true) {
            int skippedBytes = Math.min(skipBytes, part.limit() - at);
            at += skippedBytes;
            skipBytes -= skippedBytes;
            if (skipBytes > 0 || laterBytes > 0 && part.limit() - at < STEP_BYTES) {
                return at;
            } else if (tagsLeft == 0 && next == Step.END) {
                return part.limit();
            }
            in.wrapPart(part, at, frameEnd, flexible);
            step(sink);
            if (in.failed()) {
                return -1;
            }
            at = in.position();
        }
    }

    private void step(Consumer<FetchResponseView> sink) {
        if (tagsLeft > 0) {
            tag();
            return;
        }
        switch (next) {
            case HEADER -> {
                in.skip(Integer.BYTES); // correlation id
                tags(Step.RESPONSE);
            }
            case RESPONSE -> response();
            case TOPIC -> topic();
            case PARTITIONS -> {
                partitionsLeft = in.nonNullArrayCount(26);
                next = Step.PARTITION;
            }
            case PARTITION -> partition();
            case ABORTED -> aborted();
            case RECORDS -> records();
            default -> {
                end = in.position();
                next = Step.PARTITION;
                sink.accept(this);
            }
        }
    }

    private void tags(Step then) {
        tagsLeft = in.tagCount();
        next = then;
    }

    private void tag() {
        tagsLeft--;
        boolean first = in.tag() == 0;
        int sizePosition = in.position();
        skipBytes = in.unsignedVarint();
        if (in.failed() || skipBytes > in.remaining()) {
            in.fail();
        } else if (first && next == Step.PARTITION_END) {
            hasDivergingEpoch = true;
        } else if (first && next == Step.END && kept != null && version >= FIRST_NODE_ENDPOINTS) {
            frame.put(sizePosition - 1, UNUSED_TAG);
        }
    }

    private void response() {
        in.skip(Integer.BYTES); // throttle time
        error = version >= FIRST_SESSION ? in.int16() : 0;
        sessionIdPosition = in.position();
        in.skip(version >= FIRST_SESSION ? Integer.BYTES : 0);
        topicsPosition = in.position();
        topicsLeft = in.nonNullArrayCount(1);
        next = Step.TOPIC;
    }

    private void topic() {
        if (topicsLeft-- == 0) {
            tagsPosition = in.position();
            tags(Step.END);
            return;
        }
        next = Step.PARTITIONS;
        topicLength = hasTopicIds() ? ID_BYTES : in.stringLength();
        topicStart = in.position();
        topic = frame;
        int keptBytes = Math.min(topicLength, KEPT_BYTES);
        in.skip(keptBytes);
        skipBytes = topicLength - keptBytes;
        if (kept != null && !in.failed()) {
            topic = kept.put(0, frame, topicStart, keptBytes);
            topicStart = 0;
            topicLength = keptBytes;
        }
    }

    private void partition() {
        if (partitionsLeft-- == 0) {
            tags(Step.TOPIC);
            return;
        }
        start = in.position();
        partition = in.int32();
        partitionError = in.int16();
        highWatermark = in.int64();
        in.skip(Long.BYTES); // last stable offset
        logStartOffset = version >= 5 ? in.int64() : FetchRequestView.NONE;
        abortedLeft = Math.max(0, in.arrayCount(16));
        hasDivergingEpoch = false;
        recordCount = 0;
        next = Step.ABORTED;
    }

    private void aborted() {
        if (abortedLeft-- > 0) {
            in.skip(2 * Long.BYTES);
            tags(Step.ABORTED);
            return;
        }
        hasPreferredReplica = version >= 11 && in.int32() != FetchRequestView.NONE;
        recordsSizePosition = in.position();
        recordBytes = Math.max(0, in.bytesLength());
        recordsStart = in.position();
        recordBytesLeft = recordBytes;
        next = Step.RECORDS;
    }

    /** Skips the next batch if they are counted; else, and after the last whole one, all that is left. */
    private void records() {
        if (recordBytesLeft == 0) {
            tags(Step.PARTITION_END);
            return;
        }
        int batchBytes = counts ? BatchHeader.wholeBytes(frame, in.position(), recordBytesLeft) : 0;
        recordCount += batchBytes == 0 ? 0 : Math.max(0, BatchHeader.recordsCount(frame, in.position()));
        skipBytes = batchBytes == 0 ? recordBytesLeft : batchBytes;
        recordBytesLeft -= skipBytes;
    }

    public boolean hasTopicIds() {
        return version >= 13;
    }
}
