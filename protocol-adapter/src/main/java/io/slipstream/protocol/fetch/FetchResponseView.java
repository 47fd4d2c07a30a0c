// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * View of a broker's Fetch response, version 4 to 18. It shows one partition after the other; the fields are valid
 * during the call that receives the partition. Allocates nothing and throws nothing. Not thread-safe.
 */
public final class FetchResponseView {
    private static final int ID_BYTES = 16;
    static final short FIRST_SESSION = 7;

    private final WireCursor in = new WireCursor();
    ByteBuffer frame;
    private short version;
    /** The error of the whole response. */
    short error;
    /** Index in the frame, from version 7 on. */
    int sessionIdPosition;

    int topicsPosition;
    int tagsPosition;
    /** Index in the frame of the topic's name, or of its id from version 13 on. */
    public int topicStart;

    public int topicLength;
    public int partition;
    public short partitionError;
    public long highWatermark;
    public long logStartOffset;
    public boolean hasDivergingEpoch;
    public boolean hasPreferredReplica;
    public int recordBytes;
    /** Indices of the records, and of their size. */
    int recordsStart;

    int recordsSizePosition;
    /** The partition's bytes. */
    int start;

    int end;

    /**
     * Reads the frame (from its header on, without the size) between the buffer's position and limit.
     *
     * @param sink receives each partition
     * @return false if the version is unknown or the frame is malformed
     */
    public boolean walk(ByteBuffer response, short version, Consumer<FetchResponseView> sink) {
        frame = response;
        this.version = version;
        if (version < FetchRequestView.OLDEST_VERSION || version > FetchRequestView.LATEST_VERSION) {
            return false;
        }
        in.wrap(response, response.position(), response.limit(), version >= 12);
        in.skip(Integer.BYTES); // correlation id
        in.skipTags();
        in.skip(Integer.BYTES); // throttle time
        error = version >= FIRST_SESSION ? in.int16() : 0;
        sessionIdPosition = in.position();
        in.skip(version >= FIRST_SESSION ? Integer.BYTES : 0);
        topicsPosition = in.position();
        for (int topics = in.nonNullArrayCount(1); topics > 0 && !in.failed(); topics--) {
            topic(sink);
        }
        tagsPosition = in.position();
        in.skipTags();
        return !in.failed();
    }

    private void topic(Consumer<FetchResponseView> sink) {
        topicLength = hasTopicIds() ? ID_BYTES : in.stringLength();
        topicStart = in.position();
        in.skip(topicLength);
        for (int left = in.nonNullArrayCount(26); left > 0 && !in.failed(); left--) {
            partition();
            if (!in.failed()) {
                sink.accept(this);
            }
        }
        in.skipTags();
    }

    private void partition() {
        start = in.position();
        partition = in.int32();
        partitionError = in.int16();
        highWatermark = in.int64();
        in.skip(Long.BYTES); // last stable offset
        logStartOffset = version >= 5 ? in.int64() : FetchRequestView.NONE;
        for (int aborted = in.arrayCount(16); aborted > 0 && !in.failed(); aborted--) {
            in.skip(2 * Long.BYTES);
            in.skipTags();
        }
        hasPreferredReplica = version >= 11 && in.int32() != FetchRequestView.NONE;
        recordsSizePosition = in.position();
        recordBytes = Math.max(0, in.bytesLength());
        recordsStart = in.position();
        in.skip(recordBytes);
        hasDivergingEpoch = false;
        for (int tags = in.tagCount(); tags > 0 && !in.failed(); tags--) {
            hasDivergingEpoch |= in.tag() == 0;
            in.skip(in.unsignedVarint());
        }
        end = in.position();
    }

    public boolean hasTopicIds() {
        return version >= 13;
    }

    /** Number of records in the partition's whole batches of format version 2. Reads the headers of batches. */
    public long recordCount() {
        return BatchHeader.recordsInBatches(frame, recordsStart, recordsStart + recordBytes);
    }
}
