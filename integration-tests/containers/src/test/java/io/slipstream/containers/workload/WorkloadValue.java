// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * A record value as described in {@code clients/README.md}. This is a fifth, independent implementation: records must
 * equal its bytes.
 */
record WorkloadValue(String language, String topic, int partition, long run, int sequence) {
    private static final int FIELDS = 7;

    byte[] encode() {
        String filler = String.valueOf((char) ('a' + sequence % 26)).repeat(50 + 31 * sequence % 200);
        String text = language + " " + topic + " " + partition + " " + run + " " + sequence + " " + filler;
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        return (text + " " + String.format("%08x", crc.getValue())).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns empty unless the bytes are the output of {@link #encode}. */
    static Optional<WorkloadValue> decode(byte[] value) {
        if (value == null) {
            return Optional.empty();
        }
        String[] fields = new String(value, StandardCharsets.ISO_8859_1).split(" ", -1);
        if (fields.length != FIELDS) {
            return Optional.empty();
        }
        try {
            WorkloadValue decoded = new WorkloadValue(
                    fields[0],
                    fields[1],
                    Integer.parseInt(fields[2]),
                    Long.parseLong(fields[3]),
                    Integer.parseInt(fields[4]));
            return decoded.sequence >= 0 && Arrays.equals(decoded.encode(), value)
                    ? Optional.of(decoded)
                    : Optional.empty();
        } catch (NumberFormatException notOurs) {
            return Optional.empty();
        }
    }
}
