// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.checker.Report;
import io.slipstream.process.PathCounts;
import java.util.List;

/**
 * The result of one seed in one arm.
 *
 * @param paths records counted by the proxies alive at the end, including records that clients fetched but skipped by a
 * seek
 * @param skippedMarkers see {@link SkippedMarkers}
 * @param report the checker's report
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
    /** Returns produced plus fetched records. */
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
