// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The output lines of producers and consumers, in file order.
 *
 * @param producers one list per start of a client, as are {@code consumers}; the first line of each is {@link
 * ResultLine#STARTED}
 */
record ClientResults(List<List<ResultLine>> producers, List<List<ResultLine>> consumers) {
    private static final ObjectReader LINES = new ObjectMapper().readerFor(ResultLine.class);

    /** Reads all files of the directory. Ignores the partial last line of a killed client. */
    static ClientResults in(Path directory) {
        return new ClientResults(read(directory, "producer"), read(directory, "consumer"));
    }

    static ResultLine parse(String line) {
        try {
            return LINES.readValue(line);
        } catch (IOException e) {
            throw new UncheckedIOException("not a line of a client: " + line, e);
        }
    }

    private static List<List<ResultLine>> read(Path directory, String role) {
        try (Stream<Path> files = Files.list(directory)) {
            List<List<ResultLine>> all = new ArrayList<>();
            for (Path file : files.filter(path -> path.toString().endsWith("-" + role + ".jsonl"))
                    .sorted()
                    .toList()) {
                String text = Files.readString(file);
                List<ResultLine> lines = text.substring(0, text.lastIndexOf('\n') + 1)
                        .lines()
                        .map(ClientResults::parse)
                        .toList();
                if (!lines.isEmpty()) {
                    all.add(lines);
                }
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what clients wrote in " + directory, e);
        }
    }

    long count(String event) {
        return Stream.concat(producers.stream(), consumers.stream())
                .flatMap(List::stream)
                .filter(line -> line.is(event))
                .count();
    }
}
