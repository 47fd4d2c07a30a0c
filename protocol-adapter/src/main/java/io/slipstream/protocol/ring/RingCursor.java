// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

/**
 * The reader's place in a ring: where the next frame must start. The peer writes the ring, so nothing in it is
 * believed: the immediate data and the length must both agree with the only place where a correct writer puts the next
 * frame.
 *
 * <p>For each completion: {@link #startOf(int)} to find the header, then {@link #advance(long, int)} with the length
 * read from it (once, since the peer may change it). Not thread-safe, one reader owns it.
 */
public final class RingCursor {
    private final int ringBytes;
    private long position;

    /** @param ringBytes a power of two of at least one frame's alignment */
    public RingCursor(int ringBytes) {
        this.ringBytes = RingSpace.checkRingBytes(ringBytes);
    }

    /** Position of the frame that this immediate data announces, or -1 if no correct writer would put one there now. */
    public long startOf(int imm) {
        if (imm == RingFrame.immOf(position)) {
            return position;
        }
        long offset = position & (ringBytes - 1);
        long nextLap = position - offset + ringBytes;
        return offset != 0 && imm == RingFrame.immOf(nextLap) ? nextLap : -1;
    }

    /** Offset in the ring of a position. */
    public int offsetOf(long start) {
        return (int) (start & (ringBytes - 1));
    }

    /**
     * Steps over the frame at {@code start}; false, and nothing changed, if a frame of that length does not belong
     * there.
     */
    public boolean advance(long start, int payloadBytes) {
        if (payloadBytes < 0 || payloadBytes > ringBytes - RingFrame.HEADER_BYTES) {
            return false;
        }
        int frameBytes = RingFrame.frameBytes(payloadBytes);
        if (RingFrame.startOf(position, frameBytes, ringBytes) != start) {
            return false;
        }
        position = start + frameBytes;
        return true;
    }

    /** End of the last frame stepped over: everything before it has been seen. */
    public long position() {
        return position;
    }

    public int ringBytes() {
        return ringBytes;
    }
}
