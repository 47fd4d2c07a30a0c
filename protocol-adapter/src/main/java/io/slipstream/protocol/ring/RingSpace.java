// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

/**
 * The writer's account of a ring at the peer: the bytes that may be overwritten. Arithmetic on cumulative positions
 * (see {@link RingFrame}). Not thread-safe; one writer owns it.
 *
 * <pre>
 *   0 … released ………………… head …
 *        │  claimed, unread   │ free while its end - released <= ring size
 * </pre>
 */
public final class RingSpace {
    public final int ringBytes;
    /** Whether the next frame begins a lap early if the ring is empty. */
    public boolean mayRestart;

    private int restartBytes = Integer.MAX_VALUE;
    private long head;
    private long released;

    /** @param ringBytes a power of two, at least the alignment of frames */
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

    /** From now on an empty ring begins its next lap at {@link RingFrame#RESTART_BYTES}. The reader must know that. */
    public void restartWhenEmpty() {
        restartBytes = RingFrame.RESTART_BYTES;
    }

    /**
     * Claims space for a frame ({@link RingFrame#frameBytes}). An empty ring accepts any frame up to its size, because
     * the bytes skipped before a lap then contain nothing unread.
     *
     * @return the position at which the frame starts, or -1 if the reader has not yet released enough
     * @throws IllegalArgumentException if the frame can never fit or is not aligned
     */
    public long tryClaim(int frameBytes) {
        if (frameBytes <= 0 || frameBytes > ringBytes || (frameBytes & (RingFrame.ALIGNMENT - 1)) != 0) {
            throw new IllegalArgumentException("Frame of " + frameBytes + " bytes in a ring of " + ringBytes);
        }
        long start = RingFrame.startOf(head, frameBytes, ringBytes);
        if (released == head) {
            long offset = start & (ringBytes - 1);
            start += offset < restartBytes ? 0 : ringBytes - offset;
            released = start;
        } else if (start + frameBytes - released > ringBytes) {
            return -1;
        }
        head = start + frameBytes;
        mayRestart = (head & (ringBytes - 1)) >= restartBytes;
        return start;
    }

    /**
     * Records that the reader has released everything before {@code position}. Positions older than the known one are
     * ignored.
     *
     * @return false if the position is beyond the last one written: the peer is faulty, and the link must be closed
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

    /** Start of the next frame, unless the frame must begin a new lap. */
    public long head() {
        return head;
    }

    public long released() {
        return released;
    }

    /** Bytes between the oldest unreleased and the newest claimed byte. */
    public int usedBytes() {
        return (int) (head - released);
    }
}
