// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.checker.Checker;
import io.slipstream.checker.Report;
import io.slipstream.history.History;
import io.slipstream.workload.ClientNames;
import java.util.List;

/**
 * Everything that the history of one run tells.
 *
 * @param report the checker's report
 * @param anomalies those in the report that no broker explained
 */
public record Judgement(Report report, AnomalyTally anomalies, Service service, DuplicateTally duplicates) {
    /** @param skipped lines in the logs of the run's brokers */
    public static Judgement of(History history, ClientNames names, List<SkippedMarker> skipped, WallClock clock) {
        AnomalyTally anomalies = new AnomalyTally(MarkerExcuses.of(skipped, clock, history));
        return new Judgement(
                Checker.check(history, anomalies),
                anomalies,
                ServiceBuilder.read(history, names),
                DuplicateTally.of(history));
    }
}
