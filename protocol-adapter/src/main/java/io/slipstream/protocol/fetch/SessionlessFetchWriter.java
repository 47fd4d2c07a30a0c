// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import java.nio.ByteBuffer;

/**
 * Writes a sessionless Fetch request that fetches everything that an incremental request fetches with its session: the
 * same header and request fields, all partitions, and no forgotten partitions. Fields that only followers send are
 * omitted. Not thread-safe.
 */
public final class SessionlessFetchWriter extends FetchFields {
    private static final int ENTRY_BYTES = 64;
    private static final int TOPIC_BYTES = 32;

    /**
     * @param frame the incremental request that {@code request} was read from, from its header on
     * @param bodyPosition index of the body in the frame
     * @param request shows the session's entries
     * @param order the entries in the order in which they are to be served; consecutive partitions of a topic are
     *     listed under it
     * @return the new frame, from index 0 to the position
     */
    public ByteBuffer write(ByteBuffer frame, int bodyPosition, FetchRequestView request, int[] order) {
        FetchPartitions partitions = request.partitions;
        version(request.version);
        out = ByteBuffer.allocate(sizeBytes(frame, partitions));
        out.put(0, frame, 0, bodyPosition).position(bodyPosition);
        if (version <= 14) {
            out.putInt(FetchRequestView.NONE);
        }
        out.putInt(request.maxWaitMs).putInt(request.minBytes).putInt(request.maxBytes);
        out.put(request.isolationLevel);
        if (version >= 7) {
            out.putInt(0).putInt(FetchSession.FINAL_EPOCH);
        }
        topics(partitions, order);
        if (version >= 7) {
            count(0);
        }
        if (version >= 11) {
            string(frame, request.rackPosition, request.rackLength);
        }
        tags();
        return out;
    }

    /** An upper bound. */
    private static int sizeBytes(ByteBuffer frame, FetchPartitions partitions) {
        int names = 0;
        for (int i = 0; i < partitions.count; i++) {
            names += Math.max(0, partitions.topicNameLength(partitions.topicOf(i)));
        }
        return frame.limit() + names + partitions.count * (TOPIC_BYTES + ENTRY_BYTES) + ENTRY_BYTES;
    }

    private void topics(FetchPartitions partitions, int[] order) {
        int entries = partitions.count;
        count(partitions.topicsIn(order, entries));
        for (int k = 0; k < entries; ) {
            int end = partitions.endOfTopic(order, entries, k);
            topic(partitions, order[k], end - k);
            for (; k < end; k++) {
                partition(partitions, order[k]);
            }
            tags();
        }
    }

    private void partition(FetchPartitions partitions, int entry) {
        out.putInt(partitions.partition(entry));
        if (version >= 9) {
            out.putInt(partitions.currentLeaderEpoch(entry));
        }
        out.putLong(partitions.fetchOffset(entry));
        if (version >= 12) {
            out.putInt(partitions.lastFetchedEpoch(entry));
        }
        if (version >= 5) {
            out.putLong(partitions.logStartOffset(entry));
        }
        out.putInt(partitions.maxBytes(entry));
        tags();
    }
}
