// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Collects anomalies: counts all, and keeps the first few of each kind with evidence. */
final class Findings {
    private static final int KEPT_OF_A_KIND = 5;

    private final Map<String, Long> counts = new TreeMap<>();
    private final Map<String, Long> tolerated = new TreeMap<>();
    private final List<Anomaly> kept = new ArrayList<>();
    private final Map<Invariant, Long> checked = new EnumMap<>(Invariant.class);
    private final Consumer<Place> places;

    Findings() {
        this(place -> {});
    }

    /** @param places receives the place of every anomaly */
    Findings(Consumer<Place> places) {
        this.places = places;
    }

    /** Calls {@code evidence} only for an anomaly that it keeps. */
    void add(Invariant invariant, String name, String where, String what, Supplier<List<String>> evidence) {
        add(Place.of(invariant, name, where), new Anomaly(invariant, name, where, what, List.of()), evidence);
    }

    /** The same for an anomaly that is about one value. */
    void add(
            Invariant invariant,
            String name,
            String where,
            Facts facts,
            long value,
            String what,
            Supplier<List<String>> evidence) {
        add(
                Place.of(invariant, name, where, facts, value),
                new Anomaly(invariant, name, where, what, List.of()),
                evidence);
    }

    private void add(Place place, Anomaly anomaly, Supplier<List<String>> evidence) {
        places.accept(place);
        if (counts.merge(anomaly.kind(), 1L, Long::sum) <= KEPT_OF_A_KIND) {
            kept.add(new Anomaly(
                    anomaly.invariant(), anomaly.name(), anomaly.where(), anomaly.what(), List.copyOf(evidence.get())));
        }
    }

    void add(Invariant invariant, String name, String where, String what) {
        add(invariant, name, where, what, List::of);
    }

    /** Counts known behaviour of stock Kafka, which is not an anomaly. */
    void tolerate(String kind) {
        tolerated.merge(kind, 1L, Long::sum);
    }

    Map<String, Long> tolerated() {
        return tolerated;
    }

    /** Counts the facts checked for the invariant. A pass without any facts proves nothing. */
    void checked(Invariant invariant, long facts) {
        checked.merge(invariant, facts, Long::sum);
    }

    Map<String, Long> counts() {
        return counts;
    }

    List<Anomaly> kept() {
        return kept;
    }

    Map<Invariant, Long> checked() {
        return checked;
    }
}
