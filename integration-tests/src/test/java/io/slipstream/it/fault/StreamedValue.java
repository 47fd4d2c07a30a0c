// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * A record value that names its origin: {@code crc i32 | stream i64 | producer i32 | sequence i32 | filler}. The CRC
 * covers all other fields, so that it detects misplaced bytes and values in the wrong log.
 *
 * @param stream identifies one partition of one test, drawn from the seed
 * @param producer number of the producer
 * @param sequence per producer, from 0 without gaps
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

    /** @throws AssertionError if the bytes are not an encoded value */
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
