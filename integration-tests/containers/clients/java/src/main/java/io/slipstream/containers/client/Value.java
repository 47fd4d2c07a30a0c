// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.client;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32;

/** The self-description of a record's value. */
record Value(long run, long sequence) {
    static byte[] encode(Settings settings, int partition, int sequence) {
        String filler = String.valueOf((char) ('a' + sequence % 26)).repeat(50 + 31 * sequence % 200);
        String text = Settings.LANGUAGE + " " + settings.topic() + " " + partition + " " + settings.run() + " "
                + sequence + " " + filler;
        return (text + " " + crc(text)).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns empty unless the value is unchanged and in its place. */
    static Optional<Value> decode(Settings settings, int partition, byte[] value) {
        String text = value == null ? "" : new String(value, StandardCharsets.ISO_8859_1);
        int end = text.lastIndexOf(' ');
        if (end < 0 || !text.substring(end + 1).equals(crc(text.substring(0, end)))) {
            return Optional.empty();
        }
        String[] fields = text.split(" ");
        if (!fields[1].equals(settings.topic()) || Integer.parseInt(fields[2]) != partition) {
            return Optional.empty();
        }
        return Optional.of(new Value(Long.parseLong(fields[3]), Long.parseLong(fields[4])));
    }

    private static String crc(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return String.format("%08x", crc.getValue());
    }
}
