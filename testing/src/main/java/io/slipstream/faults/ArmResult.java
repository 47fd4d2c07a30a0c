// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.checker.Report;
import io.slipstream.faults.judge.Judgement;
import io.slipstream.process.PathCounts;
import java.util.List;
import java.util.Optional;

/**
 * The result of one seed in one arm.
 *
 * @param paths records counted by the proxies alive at the end, including records that clients fetched but skipped by a
 * seek
 * @param judgement what the history tells
 * @param afterReturnNs see {@link Recoveries#afterReturnNs()}
 * @param afterLossNs see {@link Recoveries#afterLossNs()}
 * @param afterLossAtRestNs see {@link LossesAtRest}
 */
record ArmResult(
        Arm arm,
        Evidence evidence,
        long elapsedNs,
        PathCounts paths,
        List<FaultOutcome> outcomes,
        Judgement judgement,
        List<Long> afterReturnNs,
        List<Long> afterLossNs,
        List<Long> afterLossAtRestNs) {
    Report report() {
        return judgement.report();
    }

    /** Returns produced plus fetched records. */
    long byRdma() {
        return paths.byRdma();
    }

    long acknowledged() {
        return report().acknowledged();
    }

    long polled() {
        return report().polled();
    }

    long carriedOut() {
        return outcomes.stream().filter(FaultOutcome::isCarriedOut).count();
    }

    long anomalies() {
        return report().counts().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns whether the run shows nothing that is worth keeping. */
    boolean isUsual() {
        return report().isClean() && report().tolerated().isEmpty();
    }

    /** Returns the outcome of a fault that overlapped with no other. */
    Optional<FaultOutcome> single(int fault) {
        return outcomes.stream()
                .filter(outcome -> outcome.number() == fault && outcome.single())
                .findFirst();
    }
}
