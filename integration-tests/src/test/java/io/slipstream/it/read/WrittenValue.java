// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A record value that names its origin and fate: {@code crc i32 | partition i32 | writer i32 | sequence i32 | fate i32
 * | filler}. The CRC covers all other fields.
 *
 * @param partition number of the partition in the run
 * @param writer number of the writer in the run
 * @param sequence per writer, from 0
 */
record WrittenValue(int partition, int writer, int sequence, Fate fate) {
    private static final int HEADER_BYTES = 20;

    /** The writer's decision about the record's transaction, made before the send. */
    enum Fate {
        NO_TRANSACTION,
        COMMITTED,
        ABORTED
    }

    /** @param filler source of the filler, at least this long */
    byte[] encode(byte[] filler, int fillerBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + fillerBytes);
        bytes.putInt(0).putInt(partition).putInt(writer).putInt(sequence).putInt(fate.ordinal());
        int room = filler.length - fillerBytes;
        bytes.put(filler, room == 0 ? 0 : Math.floorMod(writer * 31 + sequence * 7919, room), fillerBytes);
        bytes.putInt(0, crcOf(bytes.array()));
        return bytes.array();
    }

    /** Returns null if the bytes are not an encoded value. */
    static WrittenValue decode(byte[] value) {
        if (value == null || value.length < HEADER_BYTES) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(value);
        if (bytes.getInt() != crcOf(value)) {
            return null;
        }
        return new WrittenValue(bytes.getInt(), bytes.getInt(), bytes.getInt(), Fate.values()[bytes.getInt()]);
    }

    /** Digest of everything that a consumer receives of a record. */
    static long digest(byte[] key, byte[] value, long timestampMs) {
        CRC32C crc = new CRC32C();
        if (key != null) {
            crc.update(key);
        }
        crc.update(value);
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, timestampMs));
        return crc.getValue() << Integer.SIZE | value.length;
    }

    private static int crcOf(byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(value, Integer.BYTES, value.length - Integer.BYTES);
        return (int) crc.getValue();
    }
}
