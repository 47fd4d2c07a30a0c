// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Partition entries of a Fetch with their topics, in columns. Entries and topics are numbered from 0 in the order of
 * addition. Allocates only when it grows. Topic names stay in the buffer that they were read from. Not thread-safe.
 */
public final class FetchPartitions {
    /** Buffer that holds the names' bytes. */
    public ByteBuffer names;

    public int topicCount;
    private long[] topicIdBits = new long[2 * 4];
    private int[] topicNamePosition = new int[4];
    private int[] topicNameLength = new int[4];

    /** Number of entries of all topics. */
    public int count;

    private int[] topicOf = new int[8];
    private int[] partition = new int[8];
    private int[] currentLeaderEpoch = new int[8];
    private long[] fetchOffset = new long[8];
    private int[] lastFetchedEpoch = new int[8];
    private long[] logStartOffset = new long[8];
    private int[] maxBytes = new int[8];

    /**
     * Removes all entries and topics.
     *
     * @param names buffer that holds the names of the topics added next
     */
    void clear(ByteBuffer names) {
        this.names = names;
        topicCount = 0;
        count = 0;
    }

    /** A topic by id, from version 13 on. */
    public int addTopic(long idHigh, long idLow) {
        return addTopic(idHigh, idLow, 0, FetchRequestView.NONE);
    }

    /** A topic by name, before version 13. */
    int addTopic(int namePosition, int nameLength) {
        return addTopic(0, 0, namePosition, nameLength);
    }

    private int addTopic(long idHigh, long idLow, int namePosition, int nameLength) {
        int t = topicCount++;
        if (t == topicNameLength.length) {
            topicIdBits = Arrays.copyOf(topicIdBits, 4 * t);
            topicNamePosition = Arrays.copyOf(topicNamePosition, 2 * t);
            topicNameLength = Arrays.copyOf(topicNameLength, 2 * t);
        }
        topicIdBits[2 * t] = idHigh;
        topicIdBits[2 * t + 1] = idLow;
        topicNamePosition[t] = namePosition;
        topicNameLength[t] = nameLength;
        return t;
    }

    /**
     * Adds an entry of the topic added last.
     *
     * @return its number
     */
    public int add(int partition) {
        int p = count++;
        if (p == this.partition.length) {
            grow(2 * p);
        }
        topicOf[p] = topicCount - 1;
        this.partition[p] = partition;
        return p;
    }

    /** Sets the fetch parameters of the entry. */
    void ask(
            int entry,
            int currentLeaderEpoch,
            long fetchOffset,
            int lastFetchedEpoch,
            long logStartOffset,
            int partitionMaxBytes) {
        this.currentLeaderEpoch[entry] = currentLeaderEpoch;
        this.fetchOffset[entry] = fetchOffset;
        this.lastFetchedEpoch[entry] = lastFetchedEpoch;
        this.logStartOffset[entry] = logStartOffset;
        this.maxBytes[entry] = partitionMaxBytes;
    }

    private void grow(int size) {
        topicOf = Arrays.copyOf(topicOf, size);
        partition = Arrays.copyOf(partition, size);
        currentLeaderEpoch = Arrays.copyOf(currentLeaderEpoch, size);
        fetchOffset = Arrays.copyOf(fetchOffset, size);
        lastFetchedEpoch = Arrays.copyOf(lastFetchedEpoch, size);
        logStartOffset = Arrays.copyOf(logStartOffset, size);
        maxBytes = Arrays.copyOf(maxBytes, size);
    }

    /**
     * Copies an entry of another instance, with its topic unless the same topic was added last. The topic's name is
     * copied into this instance's own buffer, see {@link #own}.
     */
    public int append(FetchPartitions from, int entry) {
        int topic = from.topicOf[entry];
        if (count == 0 || !isTopic(topicCount - 1, from, topic)) {
            int length = from.topicNameLength[topic];
            if (length < 0) {
                addTopic(from.topicIdHigh(topic), from.topicIdLow(topic));
            } else {
                addTopic(keepName(from.names, from.topicNamePosition[topic], length), length);
            }
        }
        int added = add(from.partition[entry]);
        ask(added, from, entry);
        return added;
    }

    /** Copies the fetch parameters of another instance's entry. */
    public void ask(int entry, FetchPartitions from, int other) {
        ask(
                entry,
                from.currentLeaderEpoch[other],
                from.fetchOffset[other],
                from.lastFetchedEpoch[other],
                from.logStartOffset[other],
                from.maxBytes[other]);
    }

    private int keepName(ByteBuffer source, int position, int length) {
        if (names.remaining() < length) {
            names = ByteBuffer.allocate(2 * (names.capacity() + length)).put(names.flip());
        }
        int kept = names.position();
        names.put(kept, source, position, length).position(kept + length);
        return kept;
    }

    /**
     * Removes all entries and topics. From now on this instance keeps topic names in a buffer of its own, so that it
     * does not depend on a frame.
     */
    public void own() {
        clear(names == null ? ByteBuffer.allocate(256) : names.clear());
    }

    /** Removes an entry; the last entry takes its number. Topics stay. */
    public void removeSwapping(int entry) {
        int last = --count;
        topicOf[entry] = topicOf[last];
        partition[entry] = partition[last];
        ask(entry, this, last);
    }

    /** Whether two entries have the same topic. */
    boolean isSameTopic(int entry, int other) {
        return topicOf[entry] == topicOf[other] || isTopic(topicOf[entry], this, topicOf[other]);
    }

    /** The entry that a response shows, searched from {@code start} on and around; -1 if there is none. */
    int find(FetchResponseView shown, int start) {
        for (int n = 0; n < count; n++) {
            int i = (start + n) % count;
            if (partition[i] == shown.partition && isTopic(topicOf[i], shown)) {
                return i;
            }
        }
        return -1;
    }

    private boolean isTopic(int topic, FetchResponseView shown) {
        if (shown.hasTopicIds()) {
            return shown.frame.getLong(shown.topicStart) == topicIdHigh(topic)
                    && shown.frame.getLong(shown.topicStart + Long.BYTES) == topicIdLow(topic);
        }
        int length = topicNameLength[topic];
        return length == shown.topicLength
                && shown.frame.slice(shown.topicStart, length).equals(names.slice(topicNamePosition[topic], length));
    }

    /**
     * End of the run of consecutive entries with the same topic, starting at {@code from}. Brokers and clients list
     * consecutive entries of a topic under that topic.
     *
     * @param order entry numbers, of which the first {@code length} are valid
     * @return index in {@code order} after the last entry of the run
     */
    public int endOfTopic(int[] order, int length, int from) {
        int end = from + 1;
        while (end < length && isSameTopic(order[from], order[end])) {
            end++;
        }
        return end;
    }

    /** Number of topics listed for entries in that order. */
    public int topicsIn(int[] order, int length) {
        int topics = 0;
        for (int k = 0; k < length; k = endOfTopic(order, length, k)) {
            topics++;
        }
        return topics;
    }

    private boolean isTopic(int topic, FetchPartitions other, int otherTopic) {
        int length = topicNameLength[topic];
        if (topicIdHigh(topic) != other.topicIdHigh(otherTopic)
                || topicIdLow(topic) != other.topicIdLow(otherTopic)
                || length != other.topicNameLength[otherTopic]) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (names.get(topicNamePosition[topic] + i) != other.names.get(other.topicNamePosition[otherTopic] + i)) {
                return false;
            }
        }
        return true;
    }

    public long topicIdHigh(int topic) {
        return topicIdBits[2 * topic];
    }

    public long topicIdLow(int topic) {
        return topicIdBits[2 * topic + 1];
    }

    /** Index of the name's bytes in {@link #names}. */
    public int topicNamePosition(int topic) {
        return topicNamePosition[topic];
    }

    /** Bytes of the name; -1 from version 13 on. */
    public int topicNameLength(int topic) {
        return topicNameLength[topic];
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

    public int maxBytes(int entry) {
        return maxBytes[entry];
    }
}
