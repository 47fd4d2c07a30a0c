// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.checker.Report;
import io.slipstream.faults.SkippedMarkers;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of one round.
 *
 * @param atRest findings of Kafka's own tool in the logs after a clean shutdown
 * @param report the checker's report
 * @param duplicates duplicates of idempotent producers, by kill
 * @param files files inspected by Kafka's tool, with {@code batches} batches
 * @param skippedMarkers see {@link SkippedMarkers}
 */
record CrashResult(
        CrashSchedule schedule,
        List<KillOutcome> outcomes,
        List<String> atRest,
        Report report,
        DuplicateTally duplicates,
        long files,
        long batches,
        long skippedMarkers,
        long elapsedNs) {
    /**
     * Empty if the round passed. Ignores consequences of transaction markers that a stock broker skipped according to
     * its log.
     */
    List<String> failures() {
        List<String> failures = new ArrayList<>();
        for (KillOutcome outcome : outcomes) {
            outcome.findings()
                    .forEach(what -> failures.add("kill " + outcome.kill().number() + ", recovered " + what));
        }
        atRest.forEach(what -> failures.add("at rest " + what));
        report.counts().forEach((kind, count) -> {
            if (skippedMarkers == 0 || !SkippedMarkers.explain(kind)) {
                failures.add(kind + ": " + count + " times");
            }
        });
        report.unproven().forEach(invariant -> failures.add(invariant + " has no facts"));
        return failures;
    }

    long acknowledged() {
        return report.acknowledged();
    }

    /** Returns the number of processes killed with SIGKILL: two for a combined kill. */
    long deaths(boolean direct) {
        return outcomes.stream()
                .map(KillOutcome::kill)
                .mapToLong(kill ->
                        (kill.victim().strikesBroker() ? 1 : 0) + (kill.victim().strikesProxy() && !direct ? 1 : 0))
                .sum();
    }
}
