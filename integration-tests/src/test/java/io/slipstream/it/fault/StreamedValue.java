// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * A record's value that says where it belongs: {@code crc i32 | stream i64 | producer i32 | sequence i32 | filler}. The CRC covers all the
 * rest, so that a byte in the wrong place, or a value in the wrong log, is noticed.
 *
 * @param stream of one test's one partition, drawn from the seed
 * @param producer which producer sent it
 * @param sequence from 0 for each producer, without gap
 */
record StreamedValue(long stream, int producer, int sequence) {
    private static final int HEADER_BYTES = 20;

    byte[] encode(Random random, int fillerBytes) {
        byte[] filler = new byte[fillerBytes];
        random.nextBytes(filler);
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + fillerBytes);
        bytes.putInt(0).putLong(stream).putInt(producer).putInt(sequence).put(filler);
        bytes.putInt(0, crcOf(bytes.array()));
        return bytes.array();
    }

    /** Throws AssertionError if the bytes are not what some producer encoded. */
    static StreamedValue decode(byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        if (value.length < HEADER_BYTES || bytes.getInt() != crcOf(value)) {
            throw new AssertionError("a value of " + value.length + " bytes whose check sum is wrong");
        }
        return new StreamedValue(bytes.getLong(), bytes.getInt(), bytes.getInt());
    }

    private static int crcOf(byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(value, Integer.BYTES, value.length - Integer.BYTES);
        return (int) crc.getValue();
    }
}
