// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.count;

import io.slipstream.link.meter.FallbackReason;
import java.nio.ByteBuffer;

/**
 * Produce and Fetch counts of one partition for clients of one event loop. Written by that loop, read by any thread.
 */
public final class PartitionActivity {
    private static final int PRODUCED_RECORDS = 0;
    private static final int PRODUCED_BYTES = 2;
    private static final int FETCHED_RECORDS = 4;
    private static final int FETCHED_BYTES = 6;

    public static final int COUNTS = 8;
    private static final int RDMA = 1;

    private final LoopCounters tallies = new LoopCounters(COUNTS);
    public final byte[] topic;
    public final boolean isId;
    public final int partition;
    final int hash;
    /** The reason of the last request of this partition that took TCP; null if there was none. */
    public volatile FallbackReason reason;

    /** @param topic its name, or the 16 bytes of its id */
    PartitionActivity(byte[] topic, boolean isId, int partition, int hash) {
        this.topic = topic;
        this.isId = isId;
        this.partition = partition;
        this.hash = hash;
    }

    /** @param why reason for TCP, if RDMA was possible for such a request; else null */
    public void produced(long records, long bytes, boolean byRdma, FallbackReason why) {
        add(PRODUCED_RECORDS, records, PRODUCED_BYTES, bytes, byRdma, why);
    }

    /** @param why reason for TCP, if RDMA was possible for such a request; else null */
    public void fetched(long records, long bytes, boolean byRdma, FallbackReason why) {
        add(FETCHED_RECORDS, records, FETCHED_BYTES, bytes, byRdma, why);
    }

    private void add(int ofRecords, long records, int ofBytes, long bytes, boolean byRdma, FallbackReason why) {
        int path = byRdma ? RDMA : 0;
        tallies.add(ofRecords + path, records);
        tallies.add(ofBytes + path, bytes);
        if (why != null && why != reason) {
            reason = why;
        }
    }

    boolean is(ByteBuffer frame, int start, int length, int number) {
        if (number != partition || length != topic.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (frame.get(start + i) != topic[i]) {
                return false;
            }
        }
        return true;
    }

    /** Records produced, bytes produced, records fetched, bytes fetched; of each the count by TCP, then by RDMA. */
    public long count(int which) {
        return tallies.get(which);
    }
}
