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
 * What stock brokers confess of transactions: a coordinator that finds no leader for a partition takes it for deleted, skips its marker and calls the transaction complete ({@code
 * TransactionMarkerChannelManager}). On a single broker that was fenced after a pause that is every partition. What was committed, offsets included, is then open until the producer's next
 * transaction decides of it there, or for ever.
 */
public final class SkippedMarkers {
    private static final String CONFESSION = "trying to send transaction markers";

    /** Kinds of anomalies that follow from it. */
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

    /** How often brokers did so, by their logs. */
    public static long in(Collection<Path> brokerLogs) {
        long count = 0;
        for (Path log : brokerLogs) {
            // A killed process may leave bytes that are no UTF-8.
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
