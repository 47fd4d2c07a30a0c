// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * A reusable work request: the owner sets fields, posts it with {@link QueuePair#post}, and may change and reuse the object
 * as soon as post has returned. The <em>memory</em> it points at belongs to the queue pair until the completion (or, for
 * an unsignaled request, until a later signaled one of the same queue pair completed).
 *
 * <p>Not thread-safe; confined to the queue pair's owner thread.
 */
public final class WorkRequest {
    public static final int MAX_SEGMENTS = 4;

    public long wrId;
    public Opcode opcode;
    /** Whether success produces a completion; failures always do. */
    public boolean signaled = true;
    /** Remote address and key, for one-sided operations. */
    public long remoteAddress;

    public int rkey;
    /** Immediate data of WRITE_WITH_IMM. */
    public int imm;
    /** FETCH_AND_ADD: the addend. COMPARE_AND_SWAP: the expected value. */
    public long compareAdd;
    /** COMPARE_AND_SWAP: the new value. */
    public long swap;

    /** Number of scatter-gather segments in use, 0 to {@link #MAX_SEGMENTS}. */
    public int segmentCount;

    public final long[] localAddresses = new long[MAX_SEGMENTS];
    public final int[] lengths = new int[MAX_SEGMENTS];
    public final int[] lkeys = new int[MAX_SEGMENTS];

    /** Drops all segments; returns this. */
    public WorkRequest clearSegments() {
        segmentCount = 0;
        return this;
    }

    /** Adds one local segment; returns this. Throws IndexOutOfBoundsException beyond {@link #MAX_SEGMENTS}. */
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
