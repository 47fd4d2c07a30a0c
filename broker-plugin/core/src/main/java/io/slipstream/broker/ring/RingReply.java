// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.protocol.ring.RingFrame;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The answer to a request, on its way to the proxy. Any thread creates it and passes it to {@link RingLink#reply}. The
 * link's owner thread then calls the other methods, except where noted. A large answer is posted in parts:
 *
 * <pre>
 *   reply() ──▶ QUEUED ──part posted──▶ QUEUED …        ──last part posted──▶ DONE      in memory
 *   reply() ──▶ READ by a handler ──▶ QUEUED ──part posted──▶ READ by a handler …       in files
 * </pre>
 */
public abstract class RingReply {
    public final RingFrameIn frame;
    final int flags;
    /** Size of the whole answer. */
    final int sizeBytes;
    /** Whether the answer has bytes of files. Reading them may block, so a handler does it. */
    final boolean isInFiles;
    /** Whether the thread that answers reads them, as it has just done to find them. */
    protected boolean isReadAtOnce;
    /** Bytes of the answer that are not posted yet. */
    int leftBytes;
    /** Whether {@link RingLink} has done what each answer needs once, before its last part. */
    boolean isPrepared;

    /**
     * @param flags {@link RingFrame}'s reply flags, 0 for a response
     * @param sizeBytes size of the response, 0 if there is none
     */
    protected RingReply(RingFrameIn frame, int flags, int sizeBytes, boolean isInFiles) {
        this.frame = frame;
        this.flags = flags;
        this.sizeBytes = sizeBytes;
        this.isInFiles = isInFiles;
        leftBytes = sizeBytes;
    }

    /** Returns the flags of the only or last frame. */
    int lastFlags() {
        return flags == 0 && frame.namesNoBroker ? RingFrame.FLAG_NAMES_NO_BROKER : flags;
    }

    /** Makes a reply that consists of its flags. */
    static RingReply ofFlags(RingFrameIn frame, int flags) {
        return new RingReply(frame, flags, 0, false) {};
    }

    /** Moves as many bytes as the target has room for. Returns their number. */
    public static int move(ByteBuffer source, ByteBuffer target) {
        int bytes = Math.min(source.remaining(), target.remaining());
        target.put(target.position(), source, source.position(), bytes);
        target.position(target.position() + bytes);
        source.position(source.position() + bytes);
        return bytes;
    }

    /**
     * Writes the next bytes of the answer, from the buffer's position to its limit. The buffer must not be kept: it is
     * reused for the next reply.
     */
    public void writeTo(ByteBuffer target) {}

    /** A handler: reads so many of the next bytes of an answer in files. */
    public void read(int bytes) throws IOException {}

    /** The whole reply was posted, or it is dropped because it cannot be. Any thread. Must not throw. */
    public void onDone() {}
}
