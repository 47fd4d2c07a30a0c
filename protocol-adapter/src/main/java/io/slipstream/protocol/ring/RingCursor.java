// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

/**
 * The reader's position in a ring. The peer writes the ring, so the reader trusts none of its contents. The immediate
 * data and the length of a frame must both match the only place where a correct writer puts the next frame.
 *
 * <p>For each completion, call {@link #startOf(int)} to find the header, then {@link #advance(long, int)} with the
 * length in the header. Read the length only once, because the peer may change it. Not thread-safe; one reader owns it.
 */
public final class RingCursor {
    public final int ringBytes;
    /** Whether the last frame began a lap early. The reader must check that the ring was empty. */
    public boolean hasRestarted;

    private long position;

    /** @param ringBytes a power of two, at least the alignment of frames */
    public RingCursor(int ringBytes) {
        this.ringBytes = RingSpace.checkRingBytes(ringBytes);
    }

    /** Position of the frame that this immediate data announces; -1 if no correct writer puts a frame there now. */
    public long startOf(int imm) {
        if (imm == RingFrame.immOf(position)) {
            return position;
        }
        long offset = position & (ringBytes - 1);
        long nextLap = position - offset + ringBytes;
        return offset != 0 && imm == RingFrame.immOf(nextLap) ? nextLap : -1;
    }

    /** Offset in the ring of a cumulative position. */
    public int offsetOf(long start) {
        return (int) (start & (ringBytes - 1));
    }

    /**
     * Advances past the frame at {@code start}; returns false, without a change, if a frame of that length cannot be
     * there.
     */
    public boolean advance(long start, int payloadBytes) {
        if (payloadBytes < 0 || payloadBytes > ringBytes - RingFrame.HEADER_BYTES) {
            return false;
        }
        int frameBytes = RingFrame.frameBytes(payloadBytes);
        long usual = RingFrame.startOf(position, frameBytes, ringBytes);
        hasRestarted = usual != start;
        if (hasRestarted && (usual > start || (usual & (ringBytes - 1)) < RingFrame.RESTART_BYTES)) {
            return false;
        }
        position = start + frameBytes;
        return true;
    }

    /** End of the last frame that the cursor passed. */
    public long position() {
        return position;
    }
}
