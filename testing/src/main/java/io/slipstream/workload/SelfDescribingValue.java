// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * A record value that names its origin: {@code crc u32 | cluster u32 | topic u32 | partition i32 | producer i32 |
 * sequence i32 | filler}, big endian. Cluster and topic are checksums of their names. The CRC covers all other fields,
 * so that it detects misplaced bytes and values in the wrong log.
 */
record SelfDescribingValue(int cluster, int topic, int partition, int producer, int sequence) {
    static final int HEADER_BYTES = 24;

    static int nameHash(String name) {
        return crc(name.getBytes(StandardCharsets.UTF_8), 0);
    }

    byte[] encode(Random random, int fillerBytes) {
        byte[] filler = new byte[fillerBytes];
        random.nextBytes(filler);
        // Every other byte repeats, so that the value is compressible.
        for (int i = 1; i < fillerBytes; i += 2) {
            filler[i] = filler[0];
        }
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + fillerBytes);
        bytes.putInt(0)
                .putInt(cluster)
                .putInt(topic)
                .putInt(partition)
                .putInt(producer)
                .putInt(sequence)
                .put(filler);
        return bytes.putInt(0, crc(bytes.array(), Integer.BYTES)).array();
    }

    /** Returns empty unless the bytes are the output of {@link #encode}. */
    static Optional<SelfDescribingValue> decode(byte[] value) {
        if (value == null || value.length < HEADER_BYTES) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.wrap(value);
        if (bytes.getInt() != crc(value, Integer.BYTES)) {
            return Optional.empty();
        }
        return Optional.of(new SelfDescribingValue(
                bytes.getInt(), bytes.getInt(), bytes.getInt(), bytes.getInt(), bytes.getInt()));
    }

    private static int crc(byte[] bytes, int from) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, bytes.length - from);
        return (int) crc.getValue();
    }
}
