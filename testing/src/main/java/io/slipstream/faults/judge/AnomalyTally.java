// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.checker.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Counts the anomalies of one run that no broker explained, by kind, place and transactional id. */
public final class AnomalyTally implements Consumer<Place> {
    private final MarkerExcuses excuses;
    private final Map<Key, Long> counts = new TreeMap<>();
    private long excused;

    /** @param cause the sender's transactional id; empty without a transaction */
    public record Key(String kind, String where, String cause) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return kind + " in " + where + (cause.isEmpty() ? "" : " of " + cause);
        }
    }

    public AnomalyTally(MarkerExcuses excuses) {
        this.excuses = excuses;
    }

    @Override
    public void accept(Place place) {
        if (excuses.cover(place)) {
            excused++;
        } else {
            counts.merge(new Key(place.kind(), place.where(), place.transactionalId()), 1L, Long::sum);
        }
    }

    public Map<Key, Long> counts() {
        return Map.copyOf(counts);
    }

    /** Returns the number of anomalies that a broker's log explains. */
    public long excused() {
        return excused;
    }

    /**
     * Returns a line for each place at which a run has more anomalies than its control. The control excuses at most as
     * many, of the same kind, place and transactional id.
     */
    public static List<String> beyond(Map<Key, Long> control, Map<Key, Long> judged) {
        List<String> beyond = new ArrayList<>();
        new TreeMap<>(judged).forEach((key, count) -> {
            long allowed = control.getOrDefault(key, 0L);
            if (count > allowed) {
                beyond.add(key + ", " + count + " times" + (allowed == 0 ? "" : ", directly " + allowed));
            }
        });
        return beyond;
    }
}
