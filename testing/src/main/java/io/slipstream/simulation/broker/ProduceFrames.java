// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Produce requests of version 9 with one batch, in the layout of Kafka's clients, and identifiable answers. */
public final class ProduceFrames {
    public static final short VERSION = 9;
    public static final short ERROR_NONE = 0;
    public static final short NOT_LEADER = 6;
    public static final short OUT_OF_ORDER_SEQUENCE = 45;

    private static final int MOST_FIXED_BYTES = 128;

    private ProduceFrames() {}

    /** The fields of a request that the broker needs; {@code recordsStart} is an index of the frame. */
    public record Decoded(
            int correlationId, int connection, short acks, int partition, int recordsStart, int recordsBytes) {}

    public static byte[] encode(int connection, int correlationId, short acks, String topic, Batch batch) {
        ByteBuffer out = ByteBuffer.allocate(MOST_FIXED_BYTES + batch.bytes().length);
        byte[] clientId = ("c" + connection).getBytes(StandardCharsets.US_ASCII);
        byte[] name = topic.getBytes(StandardCharsets.US_ASCII);
        out.putShort((short) 0).putShort(VERSION).putInt(correlationId);
        out.putShort((short) clientId.length).put(clientId).put((byte) 0);
        out.put((byte) 0).putShort(acks).putInt(30_000);
        out.put((byte) 2).put((byte) (name.length + 1)).put(name);
        out.put((byte) 2).putInt(batch.partition());
        putVarint(out, batch.bytes().length + 1);
        out.put(batch.bytes()).put((byte) 0).put((byte) 0).put((byte) 0);
        byte[] frame = new byte[out.position()];
        out.flip().get(frame);
        return frame;
    }

    private static void putVarint(ByteBuffer out, int value) {
        int left = value;
        while ((left & ~0x7f) != 0) {
            out.put((byte) (left | 0x80));
            left >>>= 7;
        }
        out.put((byte) left);
    }

    public static Decoded decode(ByteBuffer frame) {
        int correlationId = frame.getInt(4);
        int at = 10;
        int idBytes = frame.getShort(8);
        int connection = 0;
        for (int i = 1; i < idBytes; i++) {
            connection = 10 * connection + frame.get(at + i) - '0';
        }
        at += idBytes + 2;
        short acks = frame.getShort(at);
        at += 2 + 4 + 1;
        at += frame.get(at) + 1;
        int partition = frame.getInt(at);
        at += 4;
        int length = 0;
        int shift = 0;
        byte next;
        do {
            next = frame.get(at++);
            length |= (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0);
        return new Decoded(correlationId, connection, acks, partition, at, length - 1);
    }

    /** Returns an answer, extended by {@code filler} bytes derived from the correlation id. */
    static byte[] answer(int correlationId, short error, long baseOffset, int filler) {
        ByteBuffer out = ByteBuffer.allocate(15 + filler);
        out.putInt(correlationId).put((byte) 0).putShort(error).putLong(baseOffset);
        for (int i = 0; i < filler; i++) {
            out.put((byte) (31 * correlationId + i));
        }
        return out.array();
    }

    public static int correlationIdOf(byte[] answer) {
        return ByteBuffer.wrap(answer).getInt();
    }

    public static short errorOf(byte[] answer) {
        return ByteBuffer.wrap(answer).getShort(5);
    }

    public static long baseOffsetOf(byte[] answer) {
        return ByteBuffer.wrap(answer).getLong(7);
    }
}
