// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.checker.Report;
import io.slipstream.faults.SkippedMarkers;
import java.util.ArrayList;
import java.util.List;

/**
 * What one round did, and what is wrong with it.
 *
 * @param atRest what Kafka's own tool finds wrong with the logs after a clean shutdown at the end
 * @param report the checker's
 * @param duplicates of idempotent producers, by kill
 * @param files that Kafka's tool looked at, and {@code batches} that it iterated over
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
    /** Empty if all is well. What follows from transaction markers that a stock broker skipped, which its log tells, is not held against anyone. */
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
        return failures;
    }

    long acknowledged() {
        return report.acknowledged();
    }

    /** Deaths by SIGKILL: two where both died. */
    long deaths(boolean direct) {
        return outcomes.stream()
                .map(KillOutcome::kill)
                .mapToLong(kill ->
                        (kill.victim().strikesBroker() ? 1 : 0) + (kill.victim().strikesProxy() && !direct ? 1 : 0))
                .sum();
    }
}
