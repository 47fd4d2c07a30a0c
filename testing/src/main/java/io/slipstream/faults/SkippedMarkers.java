// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Transaction markers that stock brokers skipped, according to their logs. A coordinator without a leader for a
 * partition treats the partition as deleted, skips its marker and completes the transaction ({@code
 * TransactionMarkerChannelManager}). On a single broker fenced after a pause, this affects every partition. Committed
 * data, including offsets, then stays open until the producer's next transaction ends there, or for ever.
 */
public final class SkippedMarkers {
    private static final String CONFESSION = "trying to send transaction markers";

    /** Kinds of anomalies that can follow. */
    private static final Set<String> CONSEQUENCES = Set.of(
            "I6 int-poll-skip",
            "I7 unseen",
            "I12 lost-commit",
            "I12 nonmonotonic-commit",
            "I13 torn-txn",
            "I14 G1a",
            "I16 duplicate-copy",
            "I16 missing-copy");

    private SkippedMarkers() {}

    /** Counts such events in broker logs. */
    public static long in(Collection<Path> brokerLogs) {
        long count = 0;
        for (Path log : brokerLogs) {
            // A killed process may leave invalid UTF-8.
            try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
                count += lines.filter(line -> line.contains(CONFESSION) && line.contains("can be skipped"))
                        .count();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + log, e);
            }
        }
        return count;
    }

    public static boolean explain(String kind) {
        return CONSEQUENCES.contains(kind);
    }
}
