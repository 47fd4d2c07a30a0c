// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.checker.Report;
import io.slipstream.process.PathCounts;
import java.util.List;

/**
 * What one seed did in one arm.
 *
 * @param paths records as proxies counted them that lived at the end; also those that clients asked for, but sought away from
 * @param skippedMarkers see {@link SkippedMarkers}
 * @param report the checker's
 * @param afterReturnNs see {@link Recoveries#afterReturnNs()}
 * @param afterLossNs see {@link Recoveries#afterLossNs()}
 * @param afterLossAtRestNs see {@link LossesAtRest}
 */
record ArmResult(
        Arm arm,
        Evidence evidence,
        long elapsedNs,
        PathCounts paths,
        long skippedMarkers,
        List<FaultOutcome> outcomes,
        Report report,
        List<Long> afterReturnNs,
        List<Long> afterLossNs,
        List<Long> afterLossAtRestNs) {
    /** Records, produced or fetched. */
    long byRdma() {
        return paths.byRdma();
    }

    long acknowledged() {
        return report.acknowledged();
    }

    long polled() {
        return report.polled();
    }

    long carriedOut() {
        return outcomes.stream().filter(FaultOutcome::isCarriedOut).count();
    }

    long anomalies() {
        return report.counts().values().stream().mapToLong(Long::longValue).sum();
    }

    boolean isSingle(int fault) {
        return outcomes.stream().anyMatch(outcome -> outcome.number() == fault && outcome.single());
    }
}
