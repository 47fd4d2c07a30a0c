// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

import java.nio.ByteBuffer;

/**
 * Layout of frames in the request ring (at the broker) and in the reply ring (at the proxy). Little-endian.
 *
 * <pre>
 *   0      4      8              16         20        24              32
 *   ├magic─┼flags─┼──sequence────┼session───┼length───┼──released─────┼─payload (length bytes)─▶ zero to 64-byte end
 * </pre>
 *
 * <ul> <li>magic: {@link #MAGIC}. flags: reply flags, 0 in requests. <li>sequence: of the request, from 0 for each
 * link; a reply repeats it. <li>released: in a reply, the cumulative position up to which the broker has released the
 * request ring; 0 in a request. <li>payload: a Kafka request or response from its header on, without the 4-byte size.
 * </ul>
 *
 * <p>Positions are cumulative byte counts from 0; offset in the ring = position mod ring size (a power of two). Frames
 * start at multiples of {@link #ALIGNMENT} and never straddle the ring's end: a frame that does not fit before the end
 * starts at the next lap ({@link #startOf}). The immediate data of a frame's WRITE_WITH_IMM is position / 64, modulo
 * 2^31.
 */
public final class RingFrame {
    public static final int MAGIC = 0x31304c53; // "SL01"
    public static final int HEADER_BYTES = 32;
    public static final int ALIGNMENT = 64;

    public static final int MAGIC_OFFSET = 0;
    public static final int FLAGS_OFFSET = 4;
    public static final int SEQUENCE_OFFSET = 8;
    public static final int SESSION_OFFSET = 16;
    public static final int LENGTH_OFFSET = 20;
    public static final int RELEASED_OFFSET = 24;

    /** The request has no response (acks=0); the frame only returns a credit and ring space. */
    public static final int FLAG_NO_RESPONSE = 1;
    /** The broker closes the client's connection after this response. */
    public static final int FLAG_CLOSE_CONNECTION = 1 << 1;
    /** Not an answer: the broker mutes (throttles) the session from now on; the sequence is 0. */
    public static final int FLAG_THROTTLE_START = 1 << 2;
    /** Not an answer: the broker no longer throttles the session; the sequence is 0. */
    public static final int FLAG_THROTTLE_END = 1 << 3;

    // Bits 4 to 7 are reserved: older releases used them for a removed feature. No flag may reuse them.

    /**
     * The broker's settings exclude this request from RDMA. The broker executed no part of it and refuses all later
     * requests of this session in the same way.
     */
    public static final int FLAG_TAKE_TCP = 1 << 8;

    // Bit 9 is reserved: older releases used it for responses that did not fit into the reply ring.

    /**
     * The payload is a part of a response, and more parts of it follow. The first part begins with the response's size
     * in 4 bytes, big-endian. The last part has no such flag and is the answer. Parts of a response come in their
     * order; frames of other requests may come between them.
     */
    public static final int FLAG_MORE = 1 << 10;
    /** The response names no broker's address. Without it a response may name some. */
    public static final int FLAG_NAMES_NO_BROKER = 1 << 11;

    /**
     * Immediate data with this bit is a doorbell of an armed slot, whose index is in the other bits; there is no frame.
     * Bit 30 in combination with this bit is reserved: older releases used it for a removed feature.
     */
    public static final int IMM_SLOT_DOORBELL = 1 << 31;

    /** The session of a {@link #FLAG_THROTTLE_END} that concerns no session and only carries {@code released}. */
    public static final int NO_SESSION = -1;

    /**
     * Offset from which an empty ring may begin its next lap, so that few bytes in flight touch few pages. A reader
     * that accepts it says {@link #RESTARTS}, or does it.
     */
    public static final int RESTART_BYTES = 64 << 10;

    /** The plugin says this in its answer to AttachLink: it accepts laps that begin early. */
    public static final String RESTARTS = "ring-restarts";

    /** Size of a part of a response that the plugin reads from a log's files. No part but the last is smaller. */
    public static final int FILE_PART_BYTES = 64 << 10;

    private RingFrame() {}

    /** Largest number of unanswered requests of a link. Most of them are handled, hold no credit and only wait. */
    public static int mostUnanswered(int credits) {
        return 8 * credits;
    }

    /** Largest number of frames in a reply ring that are neither answers nor throttle frames. */
    public static int mostParts(int ringBytes) {
        return ringBytes / FILE_PART_BYTES + ringBytes / partBytes(ringBytes);
    }

    /** Size of a part of a response in memory, so that a large response leaves room in the ring for others. */
    public static int partBytes(int ringBytes) {
        return ringBytes / 4;
    }

    /** Bytes in the ring of a frame with that payload. */
    public static int frameBytes(int payloadBytes) {
        return (HEADER_BYTES + payloadBytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Start of the next frame when the ring's position is {@code position}: that position, or the next lap. */
    public static long startOf(long position, int frameBytes, int ringBytes) {
        long offset = position & (ringBytes - 1);
        return offset + frameBytes <= ringBytes ? position : position - offset + ringBytes;
    }

    /** Immediate data that announces a frame at {@code position}. */
    public static int immOf(long position) {
        return (int) (position >>> 6) & ~IMM_SLOT_DOORBELL;
    }

    /** Writes a header at {@code offset}; {@code buffer} must be little-endian. */
    public static void encodeHeader(
            ByteBuffer buffer, int offset, int flags, long sequence, int session, int payloadBytes, long released) {
        buffer.putInt(offset + MAGIC_OFFSET, MAGIC);
        buffer.putInt(offset + FLAGS_OFFSET, flags);
        buffer.putLong(offset + SEQUENCE_OFFSET, sequence);
        buffer.putInt(offset + SESSION_OFFSET, session);
        buffer.putInt(offset + LENGTH_OFFSET, payloadBytes);
        buffer.putLong(offset + RELEASED_OFFSET, released);
    }
}
