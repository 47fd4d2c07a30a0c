// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.checker.Place;
import io.slipstream.history.History;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What skipped markers excuse: each line of a broker excuses the consequences for the one transaction and the
 * partitions that it names. Behind the transaction's first record nothing is stable in a partition that never got a
 * marker, so a final reader with read_committed sees nothing from there on.
 */
public final class MarkerExcuses {
    private static final String OFFSETS = "__consumer_offsets-";

    /** What a wrong or missing end of the transaction itself looks like. */
    private static final Set<String> OF_ITS_VALUES =
            Set.of("I6 int-poll-skip", "I6 poll-skip", "I7 unseen", "I14 G1a", "I16 missing-copy");

    private static final Set<String> OF_ITS_OFFSETS = Set.of("I12 lost-commit", "I12 nonmonotonic-commit");
    private static final Set<String> OF_ITS_COPIES = Set.of("I16 duplicate-copy", "I16 missing-copy");
    private static final Set<String> BEHIND_IT = Set.of("I7 unseen", "I13 torn-txn");

    private final List<Skipped> skipped;

    private MarkerExcuses(List<Skipped> skipped) {
        this.skipped = skipped;
    }

    /**
     * A skipped transaction.
     *
     * @param openFrom its first offset in each named partition that has no later marker of its producer
     * @param groups the groups whose offsets it committed
     */
    record Skipped(
            SkippedMarker line,
            int producer,
            int transaction,
            Map<String, Long> openFrom,
            Set<String> groups,
            Remaining copies) {}

    /** Records that the transaction copied and that a repetition may copy again. */
    static final class Remaining {
        private long records;

        Remaining(long records) {
            this.records = records;
        }

        boolean take() {
            return records-- > 0;
        }
    }

    public static MarkerExcuses none() {
        return new MarkerExcuses(List.of());
    }

    public static MarkerExcuses of(List<SkippedMarker> lines, WallClock clock, History history) {
        return lines.isEmpty() ? none() : new MarkerExcuses(SkippedTransactions.resolve(lines, clock, history));
    }

    static MarkerExcuses of(Skipped... skipped) {
        return new MarkerExcuses(new ArrayList<>(List.of(skipped)));
    }

    /** Returns whether a line explains this anomaly. Some consequences are explained only so many times. */
    boolean cover(Place place) {
        return skipped.stream().anyMatch(one -> cover(one, place));
    }

    private static boolean cover(Skipped one, Place place) {
        boolean its = place.producer() == one.producer && place.transaction() == one.transaction;
        if (its && OF_ITS_VALUES.contains(place.kind()) && isNamed(one, place)) {
            return true;
        }
        // Torn between a named partition and another one; the anomaly is reported in either.
        if (its && place.kind().equals("I13 torn-txn")) {
            return true;
        }
        if (BEHIND_IT.contains(place.kind()) && isBehind(one, place)) {
            return true;
        }
        boolean offsets = one.line.partitions().stream().anyMatch(name -> name.startsWith(OFFSETS));
        if (offsets && OF_ITS_OFFSETS.contains(place.kind())) {
            return one.groups.stream().anyMatch(group -> place.where().startsWith("group " + group + ", "));
        }
        boolean copied = offsets || isNamed(one, place);
        return copied
                && OF_ITS_COPIES.contains(place.kind())
                && place.transactionalId().equals(one.line.transactionalId())
                && one.copies.take();
    }

    /** The place of a copy is {@code INPUT to OUTPUT}. */
    private static boolean isNamed(Skipped one, Place place) {
        int to = place.where().indexOf(" to ");
        return one.line
                .partitions()
                .contains(to < 0 ? place.where() : place.where().substring(to + 4));
    }

    private static boolean isBehind(Skipped one, Place place) {
        Long open = one.openFrom.get(place.where());
        return open != null && place.offset() >= open;
    }
}
