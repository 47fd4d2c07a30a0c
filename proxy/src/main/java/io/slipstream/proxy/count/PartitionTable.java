// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.count;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The partitions that clients of one event loop use. Lookup allocates nothing. The first {@value #MOST} partitions have
 * their own entry, all others share one. Entries live as long as the process. The loop looks them up; any thread may
 * list them.
 */
public final class PartitionTable {
    public static final int MOST = 1000;
    private static final int CAPACITY = 2048;
    private static final int ID_BYTES = 16;
    /** Kafka's own limit; a client may send any length. */
    private static final int LONGEST_TOPIC = 249;

    private final PartitionActivity[] places = new PartitionActivity[CAPACITY];
    private final AtomicReferenceArray<PartitionActivity> all = new AtomicReferenceArray<>(MOST);
    private final PartitionActivity others = new PartitionActivity(new byte[0], false, -1, 0);
    private int count;

    /**
     * @param frame has the topic at {@code start}: its name, or its id
     * @return the partition's activity, or the shared one of all partitions without an entry
     */
    public PartitionActivity of(ByteBuffer frame, int start, int length, boolean isId, int partition) {
        int hash = hash(frame, start, length, partition);
        int place = hash & (CAPACITY - 1);
        // The table is never full, so the loop ends at an empty place.
        for (PartitionActivity found = places[place]; found != null; found = places[place]) {
            if (found.hash == hash && found.is(frame, start, length, partition)) {
                return found;
            }
            place = (place + 1) & (CAPACITY - 1);
        }
        if (count == MOST || length > LONGEST_TOPIC) {
            return others;
        }
        byte[] topic = new byte[length];
        frame.get(start, topic);
        PartitionActivity made = new PartitionActivity(topic, isId, partition, hash);
        places[place] = made;
        all.set(count++, made);
        return made;
    }

    /** For callers without a frame; allocates. */
    public PartitionActivity of(long idHigh, long idLow, byte[] name, int partition) {
        boolean isId = name.length == 0;
        ByteBuffer topic = isId
                ? ByteBuffer.allocate(ID_BYTES).putLong(0, idHigh).putLong(Long.BYTES, idLow)
                : ByteBuffer.wrap(name);
        return of(topic, 0, topic.limit(), isId, partition);
    }

    private static int hash(ByteBuffer frame, int start, int length, int partition) {
        int hash = partition;
        int at = start;
        for (int end = start + length; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = hash * 31 + Long.hashCode(frame.getLong(at));
        }
        for (int end = start + length; at < end; at++) {
            hash = hash * 31 + frame.get(at);
        }
        return hash ^ hash >>> 15;
    }

    /** For any thread. */
    public List<PartitionActivity> all() {
        return Stream.concat(IntStream.range(0, MOST).mapToObj(all::get).takeWhile(Objects::nonNull), Stream.of(others))
                .toList();
    }
}
