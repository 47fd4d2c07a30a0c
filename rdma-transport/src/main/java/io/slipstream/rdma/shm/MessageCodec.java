// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.slipstream.rdma.RdmaDevice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Frames of the control socket: {@code length u32 (bytes that follow) | type u8 | fields in the record's order}.
 * Integers are big-endian. Byte arrays and UTF-8 strings follow a u16 length. A frame with bytes left over is an error.
 */
final class MessageCodec {
    static final int MAX_FRAME_BYTES = 1024;
    static final int LENGTH_BYTES = 4;
    private static final long MAGIC_AND_VERSION = 0x534C_5053_484D_0001L; // "SLPSHM", version 1
    private static final int MAX_TEXT_BYTES = 512;

    private MessageCodec() {}

    static ByteBuf encode(ByteBufAllocator allocator, Message message) {
        ByteBuf frame = allocator.buffer(64).writeInt(0);
        if (message instanceof Message.Hello m) {
            frame.writeByte(1).writeLong(MAGIC_AND_VERSION);
            frame.writeShort(m.privateData().length).writeBytes(m.privateData());
        } else if (message instanceof Message.Token m) {
            frame.writeByte(2).writeLong(m.high()).writeLong(m.low());
        } else if (message instanceof Message.Attach m) {
            frame.writeByte(3).writeLong(MAGIC_AND_VERSION).writeLong(m.high()).writeLong(m.low());
        } else if (message instanceof Message.Accept m) {
            // The last field is reserved: the length of bytes that nobody uses.
            frame.writeByte(4).writeInt(m.ringRecords()).writeShort(0);
        } else if (message instanceof Message.Reject m) {
            writeText(frame.writeByte(5), m.reason());
        } else if (message instanceof Message.Ready m) {
            frame.writeByte(6).writeInt(m.ringRecords());
        } else if (message instanceof Message.Established) {
            frame.writeByte(7);
        } else if (message instanceof Message.Export m) {
            frame.writeByte(8).writeInt(m.slot()).writeInt(m.rkey());
            frame.writeBoolean(m.isFile()).writeByte(m.access());
            frame.writeLong(m.address()).writeLong(m.lengthBytes());
        } else if (message instanceof Message.Exported m) {
            writeText(frame.writeByte(9).writeInt(m.slot()), m.error());
        } else if (message instanceof Message.Withdraw m) {
            frame.writeByte(10).writeInt(m.slot()).writeInt(m.rkey());
        } else if (message instanceof Message.Withdrawn m) {
            frame.writeByte(11).writeInt(m.slot());
        } else if (message instanceof Message.Disconnect m) {
            writeText(frame.writeByte(12), m.reason());
        }
        return frame.setInt(0, frame.readableBytes() - LENGTH_BYTES);
    }

    /**
     * Decodes a frame without its length; the buffer stays the caller's. Any bytes may arrive; throws an IOException
     * for malformed ones.
     */
    static Message decode(ByteBuf frame) throws IOException {
        try {
            Message message = decodeFields(frame);
            if (frame.isReadable()) {
                throw new IOException("frame has " + frame.readableBytes() + " surplus bytes");
            }
            return message;
        } catch (IndexOutOfBoundsException e) {
            throw new IOException("frame is too short", e);
        }
    }

    private static Message decodeFields(ByteBuf frame) throws IOException {
        int type = frame.readUnsignedByte();
        if ((type == 1 || type == 3) && frame.readLong() != MAGIC_AND_VERSION) {
            throw new IOException("not a Slipstream shm peer of version 1");
        }
        return switch (type) {
            case 1 -> new Message.Hello(readBytes(frame, RdmaDevice.MAX_PRIVATE_DATA_BYTES));
            case 2 -> new Message.Token(frame.readLong(), frame.readLong());
            case 3 -> new Message.Attach(frame.readLong(), frame.readLong());
            case 4 -> {
                int ringRecords = readRing(frame);
                readBytes(frame, 0);
                yield new Message.Accept(ringRecords);
            }
            case 5 -> new Message.Reject(readText(frame));
            case 6 -> new Message.Ready(readRing(frame));
            case 7 -> new Message.Established();
            case 8 -> readExport(frame);
            case 9 -> new Message.Exported(readSlot(frame), readText(frame));
            case 10 -> new Message.Withdraw(readSlot(frame), frame.readInt());
            case 11 -> new Message.Withdrawn(readSlot(frame));
            case 12 -> new Message.Disconnect(readText(frame));
            default -> throw new IOException("unknown message type " + type);
        };
    }

    private static int readRing(ByteBuf frame) throws IOException {
        int ringRecords = frame.readInt();
        if (!InboxLayout.isValidRing(ringRecords)) {
            throw new IOException("invalid ring of " + ringRecords + " records");
        }
        return ringRecords;
    }

    private static Message.Export readExport(ByteBuf frame) throws IOException {
        return new Message.Export(
                readSlot(frame),
                frame.readInt(),
                readIsFile(frame),
                frame.readByte(),
                frame.readLong(),
                frame.readLong());
    }

    /** Kind 2 is reserved, because earlier builds used it. */
    private static boolean readIsFile(ByteBuf frame) throws IOException {
        int kind = frame.readUnsignedByte();
        if (kind > 1) {
            throw new IOException("unknown kind of region " + kind);
        }
        return kind == 1;
    }

    private static int readSlot(ByteBuf frame) throws IOException {
        int slot = frame.readInt();
        if (slot < 0 || slot >= InboxLayout.MAX_EXPORTS) {
            throw new IOException("invalid export slot " + slot);
        }
        return slot;
    }

    private static byte[] readBytes(ByteBuf frame, int maxBytes) throws IOException {
        int length = frame.readUnsignedShort();
        if (length > maxBytes) {
            throw new IOException("field of " + length + " bytes, at most " + maxBytes + " are allowed");
        }
        byte[] bytes = new byte[length];
        frame.readBytes(bytes);
        return bytes;
    }

    private static void writeText(ByteBuf frame, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MAX_TEXT_BYTES);
        frame.writeShort(length).writeBytes(bytes, 0, length);
    }

    private static String readText(ByteBuf frame) throws IOException {
        return new String(readBytes(frame, MAX_TEXT_BYTES), StandardCharsets.UTF_8);
    }
}
