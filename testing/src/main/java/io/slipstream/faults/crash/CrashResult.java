// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.checker.Report;
import io.slipstream.faults.judge.AnomalyTally;
import io.slipstream.faults.judge.DuplicateTally;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The result of one round.
 *
 * @param atRest findings of Kafka's own tool in the logs after a clean shutdown
 * @param report the checker's report
 * @param duplicates duplicates of idempotent producers, by kill
 * @param files files inspected by Kafka's tool, with {@code batches} batches
 * @param anomalies those in the report that no broker explained
 */
record CrashResult(
        CrashSchedule schedule,
        List<KillOutcome> outcomes,
        List<String> atRest,
        Report report,
        DuplicateTally duplicates,
        long files,
        long batches,
        AnomalyTally anomalies,
        long elapsedNs) {
    /** Empty if the round passed. */
    List<String> failures() {
        List<String> failures = new ArrayList<>();
        for (KillOutcome outcome : outcomes) {
            outcome.findings()
                    .forEach(what -> failures.add("kill " + outcome.kill().number() + ", recovered " + what));
        }
        atRest.forEach(what -> failures.add("at rest " + what));
        report.unproven().forEach(invariant -> failures.add(invariant + " has no facts"));
        failures.addAll(AnomalyTally.beyond(Map.of(), anomalies.counts()));
        failures.addAll(duplicates.failures());
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
