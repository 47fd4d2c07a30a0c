// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import io.slipstream.protocol.record.RecordCounts;
import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;

/**
 * View of a broker's Fetch response, version 4 to 18. Provides counts for metrics. Of the record bytes it reads only
 * batch headers. Allocates nothing and throws nothing. Not thread-safe.
 */
public final class FetchResponseView {
    /** Largest number of partitions with records for which details are kept. */
    public static final int MOST_PLACES = 64;

    private static final int ID_BYTES = 16;

    private final WireCursor cursor = new WireCursor();
    private short error;
    private int sessionId;
    private int partitions;
    private int partitionErrors;
    private long recordCount;
    private long recordBytes;
    private int places;
    private final int[] topicStarts = new int[MOST_PLACES];
    private final int[] topicLengths = new int[MOST_PLACES];
    private final int[] partitionNumbers = new int[MOST_PLACES];
    private final int[] lengths = new int[MOST_PLACES];
    private final long[] counts = new long[MOST_PLACES];

    /**
     * Reads the frame (from its header on, without the size) between the buffer's position and limit.
     *
     * @return false if the version is unknown or the frame is malformed; the values are then invalid
     */
    public boolean wrap(ByteBuffer response, short version) {
        error = 0;
        sessionId = 0;
        partitions = 0;
        partitionErrors = 0;
        recordCount = 0;
        recordBytes = 0;
        places = 0;
        if (version < FetchRequestView.OLDEST_VERSION || version > FetchRequestView.LATEST_VERSION) {
            return false;
        }
        WireCursor in = cursor.wrap(response, response.position(), response.limit(), version >= 12);
        in.skip(Integer.BYTES); // correlation id
        in.skipTags();
        in.skip(Integer.BYTES); // throttle time
        if (version >= 7) {
            error = in.int16();
            sessionId = in.int32();
        }
        int topics = in.nonNullArrayCount(1);
        for (int i = 0; i < topics && !in.failed(); i++) {
            topic(in, response, version);
        }
        in.skipTags();
        return !in.failed();
    }

    private void topic(WireCursor in, ByteBuffer response, short version) {
        int topicLength = version >= 13 ? ID_BYTES : Math.max(0, in.stringLength());
        int topicStart = in.position();
        in.skip(topicLength);
        int count = in.nonNullArrayCount(26);
        partitions += count;
        for (int j = 0; j < count && !in.failed(); j++) {
            int partition = in.int32();
            if (in.int16() != 0) {
                partitionErrors++;
            }
            in.skip(version >= 5 ? 24 : 16); // high watermark, last stable offset, log start offset
            int aborted = in.arrayCount(16);
            for (int k = 0; k < aborted && !in.failed(); k++) {
                in.skip(16);
                in.skipTags();
            }
            if (version >= 11) {
                in.skip(Integer.BYTES);
            }
            int length = Math.max(0, in.bytesLength());
            int start = in.position();
            in.skip(length);
            if (!in.failed()) {
                recordBytes += length;
                long records = RecordCounts.inBatches(response, start, start + length);
                recordCount += records;
                if (length > 0 && places < MOST_PLACES) {
                    topicStarts[places] = topicStart;
                    topicLengths[places] = topicLength;
                    partitionNumbers[places] = partition;
                    lengths[places] = length;
                    counts[places++] = records;
                }
            }
            in.skipTags();
        }
        in.skipTags();
    }

    public short error() {
        return error;
    }

    public int sessionId() {
        return sessionId;
    }

    public int partitionCount() {
        return partitions;
    }

    /** Number of partitions with an error code. */
    public int partitionErrors() {
        return partitionErrors;
    }

    /** Number of records in whole batches of format version 2. */
    public long recordCount() {
        return recordCount;
    }

    public long recordBytes() {
        return recordBytes;
    }

    /** Number of partitions with records for which details are kept, at most {@value #MOST_PLACES}. */
    public int places() {
        return places;
    }

    /** Index of that partition's topic in the frame: its name, or its 16 bytes of id from version 13 on. */
    public int topicStart(int place) {
        return topicStarts[place];
    }

    public int topicLength(int place) {
        return topicLengths[place];
    }

    public int partition(int place) {
        return partitionNumbers[place];
    }

    public int recordBytes(int place) {
        return lengths[place];
    }

    public long recordCount(int place) {
        return counts[place];
    }

    public static boolean hasTopicIds(short version) {
        return version >= 13;
    }
}
