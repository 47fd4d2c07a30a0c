// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;

/** A file of lines, each written with one call. Safe for concurrent use. */
final class Results {
    private static final long TROUBLE_PAUSE_NS = 100_000_000L;

    private final FileChannel file;
    private long lastTroubleNs = System.nanoTime() - TROUBLE_PAUSE_NS;

    Results(Settings settings, String role) {
        Path path = Path.of(settings.results(), Settings.LANGUAGE + "-" + settings.run() + "-" + role + ".jsonl");
        try {
            file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open " + path, e);
        }
        write(
                "started",
                "\"language\":\"" + Settings.LANGUAGE + "\",\"topic\":\"" + settings.topic() + "\",\"run\":"
                        + settings.run() + ",\"group\":\"" + settings.group() + "\"");
    }

    /** @param fields JSON fields after event and time, without braces */
    synchronized void write(String event, String fields) {
        String line = "{\"event\":\"" + event + "\",\"at\":" + System.currentTimeMillis() + "," + fields + "}\n";
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized void trouble(Throwable error) {
        if (System.nanoTime() - lastTroubleNs > TROUBLE_PAUSE_NS) {
            lastTroubleNs = System.nanoTime();
            write("trouble", error(error));
        }
    }

    static String error(Throwable error) {
        String text = error.toString().replace("\\", "\\\\").replace("\"", "\\\"");
        return "\"error\":\"" + text.replaceAll("\\p{Cntrl}", " ") + "\"";
    }

    static String offsets(Map<Integer, Long> offsets) {
        StringBuilder text = new StringBuilder("{");
        new TreeMap<>(offsets)
                .forEach((partition, offset) -> text.append(text.length() > 1 ? "," : "")
                        .append('"')
                        .append(partition)
                        .append("\":")
                        .append(offset));
        return text.append('}').toString();
    }
}
