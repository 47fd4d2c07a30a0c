package io.slipstream.faults;

import io.slipstream.checker.Report;
import java.util.List;

/**
 * What one seed did in one arm.
 *
 * @param byRdma records, produced or fetched, that went by RDMA
 * @param landings zeros if batches are not to be placed in segments
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
        long byRdma,
        LandingCounts landings,
        long skippedMarkers,
        List<FaultOutcome> outcomes,
        Report report,
        List<Long> afterReturnNs,
        List<Long> afterLossNs,
        List<Long> afterLossAtRestNs) {
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
