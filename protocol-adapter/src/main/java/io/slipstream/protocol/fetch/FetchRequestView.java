package io.slipstream.protocol.fetch;

import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.Uuid;

/**
 * A Fetch request, version 4 to 18, taken apart into primitive arrays that are kept from one request to the next. Nothing is
 * allocated once the arrays have grown (bounded by the bytes of the largest frame), and nothing thrown for what a client sent.
 * Topic names and the rack are read from the frame when asked for, so the frame must still be there; all else stands on its own.
 * Topics and partitions are numbered from 0 in the order of the request. For one thread.
 */
public final class FetchRequestView {
    public static final short OLDEST_VERSION = 4;
    public static final short LATEST_VERSION = 18;
    /** Epochs and offsets that the client did not give. */
    public static final int NONE = -1;

    private final WireCursor cursor = new WireCursor();
    private ByteBuffer frame;
    private short version;
    private int replicaId;
    private int maxWaitMs;
    private int minBytes;
    private int maxBytes;
    private byte isolationLevel;
    private int sessionId;
    private int sessionEpoch;
    private int rackPosition;
    private int rackLength;
    private int forgottenPartitions;

    private int topicCount;
    private long[] topicIdBits = new long[2 * 4];
    private int[] topicNamePosition = new int[4];
    private int[] topicNameLength = new int[4];
    private int[] topicFirst = new int[4];

    private int count;
    private int[] topicOf = new int[8];
    private int[] partition = new int[8];
    private int[] currentLeaderEpoch = new int[8];
    private long[] fetchOffset = new long[8];
    private int[] lastFetchedEpoch = new int[8];
    private long[] logStartOffset = new long[8];
    private int[] partitionMaxBytes = new int[8];

    /**
     * Reads the body that reaches from {@code bodyPosition} (an index) to the buffer's limit.
     *
     * @return false if the version is not known here or the request is malformed; the broker must then answer it
     */
    public boolean wrap(ByteBuffer request, int bodyPosition, short version) {
        frame = request;
        this.version = version;
        replicaId = NONE;
        sessionId = 0;
        sessionEpoch = FetchSession.FINAL_EPOCH;
        rackLength = 0;
        forgottenPartitions = 0;
        topicCount = 0;
        count = 0;
        if (version < OLDEST_VERSION
                || version > LATEST_VERSION
                || bodyPosition < 0
                || bodyPosition > request.limit()) {
            return false;
        }
        walk(cursor.wrap(request, bodyPosition, request.limit(), version >= 12));
        return !cursor.failed();
    }

    private void walk(WireCursor in) {
        if (version <= 14) {
            replicaId = in.int32();
        }
        maxWaitMs = in.int32();
        minBytes = in.int32();
        maxBytes = in.int32();
        isolationLevel = in.int8();
        if (version >= 7) {
            sessionId = in.int32();
            sessionEpoch = in.int32();
        }
        int topics = in.nonNullArrayCount(1);
        for (int i = 0; i < topics && !in.failed(); i++) {
            topic(in);
        }
        if (version >= 7) {
            forgotten(in);
        }
        if (version >= 11) {
            int length = in.stringLength();
            rackPosition = in.position();
            in.skip(length);
            rackLength = Math.max(0, length);
        }
        for (int i = in.tagCount(); i > 0 && !in.failed(); i--) {
            int tag = in.tag();
            int size = in.unsignedVarint();
            int start = in.position();
            if (tag == 0) { // the id of the cluster
                in.skipString(true);
            } else if (tag == 1) {
                replicaId = in.int32();
                in.skip(Long.BYTES); // the replica's epoch
                in.skipTags();
                requireVersion(in, 15);
            } else {
                in.skip(size);
            }
            requireSize(in, start, size);
        }
    }

    /** A broker reads the value of a tag that it knows whatever size is stated: where the two differ, only it can answer. */
    private static void requireSize(WireCursor in, int start, int size) {
        if (in.position() - start != size) {
            in.fail();
        }
    }

    /** A broker refuses a tag that it knows in versions before the one that brought it. */
    private void requireVersion(WireCursor in, int first) {
        if (version < first) {
            in.fail();
        }
    }

    private void topic(WireCursor in) {
        int t = topicCount++;
        if (t == topicFirst.length) {
            topicIdBits = Arrays.copyOf(topicIdBits, 4 * t);
            topicNamePosition = Arrays.copyOf(topicNamePosition, 2 * t);
            topicNameLength = Arrays.copyOf(topicNameLength, 2 * t);
            topicFirst = Arrays.copyOf(topicFirst, 2 * t);
        }
        topicFirst[t] = count;
        topicIdBits[2 * t] = 0;
        topicIdBits[2 * t + 1] = 0;
        topicNameLength[t] = NONE;
        if (version >= 13) {
            topicIdBits[2 * t] = in.int64();
            topicIdBits[2 * t + 1] = in.int64();
        } else {
            topicNameLength[t] = in.stringLength();
            topicNamePosition[t] = in.position();
            in.skip(topicNameLength[t]);
        }
        int partitions = in.nonNullArrayCount(16);
        for (int j = 0; j < partitions && !in.failed(); j++) {
            partition(in, t);
        }
        in.skipTags();
    }

    private void partition(WireCursor in, int topic) {
        int p = count++;
        if (p == partition.length) {
            growPartitions(2 * p);
        }
        topicOf[p] = topic;
        partition[p] = in.int32();
        currentLeaderEpoch[p] = version >= 9 ? in.int32() : NONE;
        fetchOffset[p] = in.int64();
        lastFetchedEpoch[p] = version >= 12 ? in.int32() : NONE;
        logStartOffset[p] = version >= 5 ? in.int64() : NONE;
        partitionMaxBytes[p] = in.int32();
        for (int i = in.tagCount(); i > 0 && !in.failed(); i--) {
            int tag = in.tag();
            int size = in.unsignedVarint();
            int start = in.position();
            if (tag == 0) {
                in.skip(2 * Long.BYTES); // the id of the replica's directory
                requireVersion(in, 17);
            } else if (tag == 1) {
                in.skip(Long.BYTES); // the replica's high watermark
                requireVersion(in, 18);
            } else {
                in.skip(size);
            }
            requireSize(in, start, size);
        }
    }

    private void growPartitions(int size) {
        topicOf = Arrays.copyOf(topicOf, size);
        partition = Arrays.copyOf(partition, size);
        currentLeaderEpoch = Arrays.copyOf(currentLeaderEpoch, size);
        fetchOffset = Arrays.copyOf(fetchOffset, size);
        lastFetchedEpoch = Arrays.copyOf(lastFetchedEpoch, size);
        logStartOffset = Arrays.copyOf(logStartOffset, size);
        partitionMaxBytes = Arrays.copyOf(partitionMaxBytes, size);
    }

    private void forgotten(WireCursor in) {
        int topics = in.nonNullArrayCount(1);
        for (int i = 0; i < topics && !in.failed(); i++) {
            if (version >= 13) {
                in.skip(16);
            } else {
                in.skipString(false);
            }
            int partitions = in.nonNullArrayCount(Integer.BYTES);
            forgottenPartitions += partitions;
            in.skip(partitions * Integer.BYTES);
            in.skipTags();
        }
    }

    public short version() {
        return version;
    }

    /** -1 for consumers, -2 for a debugging consumer, else a follower. */
    public int replicaId() {
        return replicaId;
    }

    public int maxWaitMs() {
        return maxWaitMs;
    }

    public int minBytes() {
        return minBytes;
    }

    public int maxBytes() {
        return maxBytes;
    }

    /** 0 read_uncommitted, 1 read_committed. */
    public byte isolationLevel() {
        return isolationLevel;
    }

    public boolean isReadCommitted() {
        return isolationLevel == 1;
    }

    public int sessionId() {
        return sessionId;
    }

    public int sessionEpoch() {
        return sessionEpoch;
    }

    public FetchSession session() {
        return FetchSession.of(sessionId, sessionEpoch);
    }

    /** Partitions that an incremental fetch takes out of its session. */
    public int forgottenPartitions() {
        return forgottenPartitions;
    }

    public boolean hasRack() {
        return rackLength > 0;
    }

    /** The consumer's rack, empty if it has none; allocates. */
    public String rackId() {
        return string(rackPosition, rackLength);
    }

    public int topicCount() {
        return topicCount;
    }

    /** The topic's id; {@link Uuid#ZERO_UUID} before version 13. Allocates. */
    public Uuid topicId(int topic) {
        long high = topicIdBits[2 * topic];
        long low = topicIdBits[2 * topic + 1];
        return high == 0 && low == 0 ? Uuid.ZERO_UUID : new Uuid(high, low);
    }

    public long topicIdHigh(int topic) {
        return topicIdBits[2 * topic];
    }

    public long topicIdLow(int topic) {
        return topicIdBits[2 * topic + 1];
    }

    /** The topic's name; null from version 13 on. Allocates. */
    public String topicName(int topic) {
        return topicNameLength[topic] < 0 ? null : string(topicNamePosition[topic], topicNameLength[topic]);
    }

    /** Index of the name's bytes in the frame. */
    public int topicNamePosition(int topic) {
        return topicNamePosition[topic];
    }

    /** Bytes of the name; -1 from version 13 on. */
    public int topicNameLength(int topic) {
        return topicNameLength[topic];
    }

    /** Number of the topic's first partition entry. */
    public int firstPartitionOf(int topic) {
        return topicFirst[topic];
    }

    /** One past the number of the topic's last partition entry. */
    public int endPartitionOf(int topic) {
        return topic + 1 < topicCount ? topicFirst[topic + 1] : count;
    }

    /** Partition entries of all topics. */
    public int partitionCount() {
        return count;
    }

    public int topicOf(int entry) {
        return topicOf[entry];
    }

    public int partition(int entry) {
        return partition[entry];
    }

    public int currentLeaderEpoch(int entry) {
        return currentLeaderEpoch[entry];
    }

    public long fetchOffset(int entry) {
        return fetchOffset[entry];
    }

    public int lastFetchedEpoch(int entry) {
        return lastFetchedEpoch[entry];
    }

    public long logStartOffset(int entry) {
        return logStartOffset[entry];
    }

    public int partitionMaxBytes(int entry) {
        return partitionMaxBytes[entry];
    }

    private String string(int position, int length) {
        byte[] bytes = new byte[length];
        frame.get(position, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
