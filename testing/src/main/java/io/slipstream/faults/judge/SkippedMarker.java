// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A line in which a stock broker tells that it skipped the markers of one transaction. A coordinator without a leader
 * for a partition takes the partition as deleted, skips its marker and completes the transaction ({@code
 * TransactionMarkerChannelManager}). A single broker that is fenced after a pause does so for every partition.
 * Committed data, including offsets, then stays open until the producer's next transaction ends there, or for ever.
 *
 * @param wallMs the broker's wall clock
 */
public record SkippedMarker(long wallMs, String transactionalId, Set<String> partitions) {
    private static final Pattern LINE = Pattern.compile("^\\[([^]]+)].*Couldn't find leader endpoint for partitions "
            + "(.+) while trying to send transaction markers for (.+), these partitions are likely deleted already "
            + "and hence can be skipped");
    /** Scala and Java print sets differently: {@code Set(a-1, b-0)}, {@code [a-1, b-0]}. */
    private static final Pattern PARTITION = Pattern.compile("[\\w.-]+-\\d+");

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");

    /** Returns those in broker logs, in the order of the logs. */
    public static List<SkippedMarker> in(Collection<Path> brokerLogs) {
        List<SkippedMarker> found = new ArrayList<>();
        for (Path log : brokerLogs) {
            // A killed process may leave invalid UTF-8.
            try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
                lines.flatMap(line -> parse(line).stream()).forEach(found::add);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + log, e);
            }
        }
        return List.copyOf(found);
    }

    static Optional<SkippedMarker> parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.find()) {
            return Optional.empty();
        }
        Set<String> partitions = new TreeSet<>();
        Matcher names = PARTITION.matcher(matcher.group(2));
        while (names.find()) {
            partitions.add(names.group());
        }
        try {
            long wallMs = LocalDateTime.parse(matcher.group(1), TIME)
                    .atZone(ZoneId.systemDefault())
                    .toInstant()
                    .toEpochMilli();
            return Optional.of(new SkippedMarker(wallMs, matcher.group(3), Set.copyOf(partitions)));
        } catch (DateTimeParseException cut) {
            return Optional.empty();
        }
    }
}
