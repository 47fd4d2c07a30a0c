// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;

/**
 * A checksum over the parts of a record that must arrive unchanged: key, value, headers in order, timestamp and its
 * type.
 */
final class RecordDigest {
    private RecordDigest() {}

    static int of(byte[] key, byte[] value, Iterable<Header> headers, TimestampType type, long timestampMs) {
        CRC32C crc = new CRC32C();
        update(crc, key);
        update(crc, value);
        for (Header header : headers) {
            update(crc, header.key().getBytes(StandardCharsets.UTF_8));
            update(crc, header.value());
        }
        crc.update(ByteBuffer.allocate(12).putInt(type.id).putLong(timestampMs).flip());
        return (int) crc.getValue();
    }

    /** Includes the length, so that bytes cannot move between fields. Null and empty differ. */
    private static void update(CRC32C crc, byte[] field) {
        crc.update(ByteBuffer.allocate(Integer.BYTES)
                .putInt(field == null ? -1 : field.length)
                .flip());
        if (field != null) {
            crc.update(field, 0, field.length);
        }
    }
}
