// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.RunKind;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The result of checking one history.
 *
 * @param kind decides which invariants must have facts
 * @param arm arm, and {@code seed}, as the history declares them
 * @param counts occurrences of each kind of anomaly, by {@link Anomaly#kind()}
 * @param tolerated occurrences of known behaviour of stock Kafka, which is not an anomaly
 * @param anomalies the first few of each kind
 * @param checked number of facts checked for each invariant; with 0 it is not checked
 * @param acknowledged successful sends
 * @param polled records delivered to consumers
 * @param worstFreshnessNs the longest time from an acknowledgement until a reading consumer had the record
 * @param clientErrors classes of client errors
 */
public record Report(
        RunKind kind,
        String arm,
        long seed,
        Map<String, Long> counts,
        Map<String, Long> tolerated,
        List<Anomaly> anomalies,
        Map<Invariant, Long> checked,
        long events,
        long acknowledged,
        long polled,
        long worstFreshnessNs,
        List<FaultWindow> faultWindows,
        Set<String> clientErrors) {

    public boolean isClean() {
        return counts.isEmpty() && unproven().isEmpty();
    }

    /** Returns the invariants that the run claims and has no facts about. */
    public List<Invariant> unproven() {
        return Arrays.stream(Invariant.values())
                .filter(invariant -> invariant.isClaimedIn(kind) && facts(invariant) == 0)
                .toList();
    }

    /** Returns the number of facts checked for the invariant. */
    public long facts(Invariant invariant) {
        return checked.getOrDefault(invariant, 0L);
    }

    /** Returns the report for people: a summary, then each kept anomaly with its evidence. */
    public String text() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "arm %s, seed %d: %d events, %d acknowledged sends, %d polled records, worst freshness %.1f ms, %d faults%n",
                arm,
                seed,
                events,
                acknowledged,
                polled,
                worstFreshnessNs / 1e6,
                faultWindows.size()));
        for (Invariant invariant : Invariant.values()) {
            long anomalies = counts.entrySet().stream()
                    .filter(count -> count.getKey().startsWith(invariant + " "))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            long facts = facts(invariant);
            String without = invariant.isClaimedIn(kind) ? "NO FACTS" : "-";
            String verdict = anomalies > 0 ? anomalies + " ANOMALIES" : facts > 0 ? "ok" : without;
            text.append(String.format(
                    Locale.ROOT, "%-4s %-12s %12d facts  %s%n", invariant, verdict, facts, invariant.title()));
        }
        tolerated.forEach((kind, count) ->
                text.append(kind).append(": ").append(count).append(" times, known behaviour of stock Kafka\n"));
        anomalies.forEach(anomaly -> text.append(anomaly.text()));
        return text.toString();
    }
}
