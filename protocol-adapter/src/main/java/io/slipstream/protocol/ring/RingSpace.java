// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

/**
 * The writer's account of a ring at its peer: which bytes may be overwritten. Pure arithmetic on cumulative positions
 * (see {@link RingFrame}); not thread-safe, one writer owns it.
 *
 * <pre>
 *   0 … released ………………… head …
 *        │  claimed, unread   │ free while its end - released <= ring size
 * </pre>
 */
public final class RingSpace {
    private final int ringBytes;
    private long head;
    private long released;

    /** @param ringBytes a power of two of at least one frame's alignment */
    public RingSpace(int ringBytes) {
        this.ringBytes = checkRingBytes(ringBytes);
    }

    static int checkRingBytes(int ringBytes) {
        if (Integer.bitCount(ringBytes) != 1 || ringBytes < RingFrame.ALIGNMENT) {
            throw new IllegalArgumentException(
                    "Ring of " + ringBytes + " bytes: must be a power of two, at least " + RingFrame.ALIGNMENT);
        }
        return ringBytes;
    }

    /**
     * Takes room for a frame ({@link RingFrame#frameBytes}): the position at which it starts, or -1 if the reader has
     * not released enough yet. An empty ring has room for any frame up to its size: the bytes skipped before a lap then
     * hold nothing unread.
     *
     * @throws IllegalArgumentException if the frame can never fit or is not aligned
     */
    public long tryClaim(int frameBytes) {
        if (frameBytes <= 0 || frameBytes > ringBytes || (frameBytes & (RingFrame.ALIGNMENT - 1)) != 0) {
            throw new IllegalArgumentException("Frame of " + frameBytes + " bytes in a ring of " + ringBytes);
        }
        long start = RingFrame.startOf(head, frameBytes, ringBytes);
        long oldestUnread = released == head ? start : released;
        if (start + frameBytes - oldestUnread > ringBytes) {
            return -1;
        }
        if (released == head) {
            released = start;
        }
        head = start + frameBytes;
        return start;
    }

    /**
     * The reader is done with everything before {@code position}. Older positions than known are stale news and
     * ignored.
     *
     * @return false if the position lies beyond what was ever written: the peer is broken, and so must the link be
     */
    public boolean release(long position) {
        if (position > head) {
            return false;
        }
        if (position > released) {
            released = position;
        }
        return true;
    }

    /** Where the next frame starts, unless it must begin a new lap. */
    public long head() {
        return head;
    }

    public long released() {
        return released;
    }

    /** Bytes between the oldest unreleased and the newest claimed one. */
    public int usedBytes() {
        return (int) (head - released);
    }

    public int ringBytes() {
        return ringBytes;
    }
}
