// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * A reusable work request. The owner sets the fields, posts the object with {@link QueuePair#post}, and may reuse it as
 * soon as post has returned. The <em>memory</em> it names belongs to the queue pair until the completion. For an
 * unsignaled request, it does until a later signaled request of the same queue pair completes.
 *
 * <p>Not thread-safe: only the queue pair's owner thread uses it. See ibv_post_send(3).
 */
public final class WorkRequest {
    public static final int MAX_SEGMENTS = 4;

    public long wrId;
    public Opcode opcode;
    /** Whether success produces a completion. Failures always do. */
    public boolean signaled = true;
    /** Remote address and key, for one-sided operations. */
    public long remoteAddress;

    public int rkey;
    /** Immediate data of WRITE_WITH_IMM. */
    public int imm;
    /** Number of scatter-gather segments in use, 0 to {@link #MAX_SEGMENTS}. */
    public int segmentCount;

    public final long[] localAddresses = new long[MAX_SEGMENTS];
    public final int[] lengths = new int[MAX_SEGMENTS];
    public final int[] lkeys = new int[MAX_SEGMENTS];

    /** Drops all segments and returns this. */
    public WorkRequest clearSegments() {
        segmentCount = 0;
        return this;
    }

    /** Adds one local segment and returns this. Throws IndexOutOfBoundsException beyond {@link #MAX_SEGMENTS}. */
    public WorkRequest addSegment(int lkey, long localAddress, int lengthBytes) {
        localAddresses[segmentCount] = localAddress;
        lengths[segmentCount] = lengthBytes;
        lkeys[segmentCount] = lkey;
        segmentCount++;
        return this;
    }

    /** Sum of the segments' lengths in bytes. */
    public long totalLengthBytes() {
        long total = 0;
        for (int i = 0; i < segmentCount; i++) {
            total += lengths[i];
        }
        return total;
    }
}
