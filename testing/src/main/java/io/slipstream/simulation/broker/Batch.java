// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * A record batch of format 2 from a simulated producer. Instead of Kafka's records it contains producer, sequence, and
 * bytes derived from both.
 *
 * @param producerId sender, unique in the world
 * @param sequence sequence of the batch, from 0 for each producer
 * @param bytes the whole batch, with base offset 0
 */
public record Batch(int producerId, int partition, int sequence, int recordCount, byte[] bytes) {
    public static final int HEADER_BYTES = 61;
    private static final int CRC_OFFSET = 17;
    private static final int ATTRIBUTES_OFFSET = 21;

    public static Batch of(int producerId, int partition, int sequence, int recordCount, int valueBytes) {
        byte[] bytes = new byte[HEADER_BYTES + valueBytes];
        ByteBuffer batch = ByteBuffer.wrap(bytes);
        batch.putInt(8, bytes.length - 12).putInt(12, -1).put(16, (byte) 2);
        batch.putInt(23, recordCount - 1).putLong(43, producerId).putShort(51, (short) 0);
        batch.putInt(53, sequence).putInt(57, recordCount);
        SplittableRandom content =
                new SplittableRandom(((long) producerId << 40) ^ ((long) partition << 32) ^ sequence);
        int at = HEADER_BYTES;
        for (; at + Long.BYTES <= bytes.length; at += Long.BYTES) {
            batch.putLong(at, content.nextLong());
        }
        for (; at < bytes.length; at++) {
            bytes[at] = (byte) content.nextInt();
        }
        batch.putInt(CRC_OFFSET, crc(bytes, 0, bytes.length));
        return new Batch(producerId, partition, sequence, recordCount, bytes);
    }

    static int crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from + ATTRIBUTES_OFFSET, to - from - ATTRIBUTES_OFFSET);
        return (int) crc.getValue();
    }
}
