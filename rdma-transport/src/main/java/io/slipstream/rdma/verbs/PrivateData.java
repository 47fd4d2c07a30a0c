// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.RdmaDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The private data of connect, accept and reject. The connection manager pads private data with zeros, so the layout
 * has a length of its own. A connect carries at most 56 bytes.
 *
 * <pre>
 *   offset  0  u16  magic 0x5356, little-endian as all of it
 *           2  u8   version of this layout, 1
 *           3  u8   length of the payload
 *           4  u32  receives that the sender's queue pair can hold; 0 in a reject
 *           8       payload: the user's bytes (at most 48), or the reason of a reject as UTF-8 (at most 140 bytes)
 * </pre>
 */
record PrivateData(int receiveDepth, byte[] payload) {
    static final int VERSION = 1;
    static final int HEADER_BYTES = 8;
    /** Maximum number of bytes of private data that a reject carries (rdma_reject(3)). */
    static final int MAX_REJECT_BYTES = 148;

    private static final int MAGIC = 0x5356;
    private static final int MAX_RECEIVE_DEPTH = 1 << 20;

    /** Writes at the start of the buffer. Returns the number of bytes. */
    int encode(ByteBuffer target) {
        target.order(ByteOrder.LITTLE_ENDIAN);
        target.putShort(0, (short) MAGIC).put(2, (byte) VERSION).put(3, (byte) payload.length);
        target.putInt(4, receiveDepth).put(HEADER_BYTES, payload);
        return HEADER_BYTES + payload.length;
    }

    static PrivateData ofReject(String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, MAX_REJECT_BYTES - HEADER_BYTES);
        // Never cuts a character in two.
        while (length > 0 && length < text.length && (text[length] & 0xC0) == 0x80) {
            length--;
        }
        return new PrivateData(0, Arrays.copyOf(text, length));
    }

    /**
     * Decodes private data of a connection manager's event. Throws an IOException, with a message for the peer, if it
     * is malformed.
     */
    static PrivateData decode(ByteBuffer event) throws IOException {
        PrivateData data = decodeAny(event);
        if (data.payload.length > RdmaDevice.MAX_PRIVATE_DATA_BYTES) {
            throw new IOException("private data of " + data.payload.length + " bytes, at most "
                    + RdmaDevice.MAX_PRIVATE_DATA_BYTES + " are allowed");
        }
        if (data.receiveDepth < 1 || data.receiveDepth > MAX_RECEIVE_DEPTH) {
            throw new IOException("invalid receive depth " + Integer.toUnsignedString(data.receiveDepth));
        }
        return data;
    }

    private static PrivateData decodeAny(ByteBuffer event) throws IOException {
        int start = CmEvent.PRIVATE_DATA;
        int carried = event.getInt(CmEvent.PRIVATE_DATA_BYTES);
        if (carried < HEADER_BYTES || carried > CmEvent.SIZE_BYTES - start) {
            throw new IOException("private data of " + carried + " bytes has no header");
        }
        if (Short.toUnsignedInt(event.getShort(start)) != MAGIC) {
            throw new IOException("private data is not of this protocol");
        }
        int version = Byte.toUnsignedInt(event.get(start + 2));
        if (version != VERSION) {
            throw new IOException("unknown protocol version " + version + ", this side speaks " + VERSION);
        }
        int length = Byte.toUnsignedInt(event.get(start + 3));
        if (length > carried - HEADER_BYTES) {
            throw new IOException("private data of " + carried + " bytes announces " + length);
        }
        byte[] payload = new byte[length];
        event.get(start + HEADER_BYTES, payload);
        return new PrivateData(event.getInt(start + 4), payload);
    }

    /**
     * The reason of a rejection, for a message or log: the peer's text without control characters, or the meaning of
     * the status.
     */
    static String rejectReason(ByteBuffer event) {
        int status = event.getInt(CmEvent.STATUS);
        try {
            String text = new String(decodeAny(event).payload, StandardCharsets.UTF_8);
            return "rejected by the peer: " + text.replaceAll("\\p{Cntrl}", "?");
        } catch (IOException e) {
            return switch (status) {
                case 4 -> "rejected: the peer gave up";
                case 8 -> "rejected: no process listens there";
                case 10 -> "rejected: an earlier connection of this queue pair number has not ended yet";
                default -> "rejected (reason " + status + ")";
            };
        }
    }
}
