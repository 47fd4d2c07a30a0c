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

    /**
     * The request to post behind this one; null for none. A list is posted as a whole or not at all. Each request of it
     * begins when the READs before it have completed (IBV_SEND_FENCE).
     */
    public WorkRequest next;

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

    /** Number of requests in the list that begins here; -1 if one is malformed, or longer than that. Data path. */
    public int wellFormedCount(long maxBytes) {
        int count = 0;
        for (WorkRequest each = this; each != null; each = each.next) {
            if (each.wellFormedLength(maxBytes) < 0) {
                return -1;
            }
            count++;
        }
        return count;
    }

    /** Number of bytes that this request moves; -1 if it is malformed, or longer than that. Data path. */
    public long wellFormedLength(long maxBytes) {
        if (opcode == null || segmentCount < 0 || segmentCount > MAX_SEGMENTS) {
            return -1;
        }
        long total = 0;
        for (int i = 0; i < segmentCount; i++) {
            if (lengths[i] < 0) {
                return -1;
            }
            total += lengths[i];
        }
        return switch (opcode) {
            case WRITE, WRITE_WITH_IMM, READ -> total <= maxBytes ? total : -1;
            default -> -1;
        };
    }
}
