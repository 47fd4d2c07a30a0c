// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.checker.Invariant;
import io.slipstream.checker.Report;
import io.slipstream.faults.judge.FisherExact;
import io.slipstream.faults.schedule.FaultClass;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Totals over all seeds of a run. Pure. */
record Totals(List<SeedResult> seeds) {
    /** Goal for the first acknowledgement after the return of a killed proxy. */
    static final long RETURN_GOAL_NS = 1_000_000_000L;
    /** Goal for answers over TCP after the loss of a queue pair. */
    static final long LOSS_GOAL_NS = 50_000_000L;

    long histories() {
        return seeds.stream().mapToLong(seed -> seed.results().size()).sum();
    }

    long acknowledged() {
        return sum(ArmResult::acknowledged);
    }

    long polled() {
        return sum(ArmResult::polled);
    }

    long carriedOut() {
        return sum(ArmResult::carriedOut);
    }

    long red() {
        return seeds.stream().filter(seed -> !seed.isGreen()).count();
    }

    long overlapping() {
        return seeds.stream().filter(seed -> seed.schedule().overlapping()).count();
    }

    /** Returns the executed faults of a class, by arm. */
    Map<Arm, Long> faults(FaultClass faultClass, FaultOutcome.State state) {
        Map<Arm, Long> counts = new EnumMap<>(Arm.class);
        each(result -> {
            long count = result.outcomes().stream()
                    .filter(outcome -> outcome.faultClass() == faultClass && outcome.state() == state)
                    .count();
            counts.merge(result.arm(), count, Long::sum);
        });
        return counts;
    }

    /** Returns all kinds of anomalies by arm, including those of the direct arm. */
    Map<String, Map<Arm, Long>> anomalies() {
        return counts(Report::counts);
    }

    /** Returns counts of known behaviour of stock Kafka, by arm. */
    Map<String, Map<Arm, Long>> tolerated() {
        return counts(Report::tolerated);
    }

    /** Returns the facts about each invariant, by arm. */
    Map<String, Map<Arm, Long>> facts() {
        return counts(
                report -> Arrays.stream(Invariant.values()).collect(Collectors.toMap(Invariant::name, report::facts)));
    }

    /** Returns the histories of an arm in which a record of an idempotent producer is twice, and all of them. */
    long[] withDuplicates(Arm arm) {
        long[] counts = new long[2];
        each(result -> {
            if (result.arm() == arm) {
                counts[0] += result.judgement().duplicates().records() > 0 ? 1 : 0;
                counts[1]++;
            }
        });
        return counts;
    }

    /**
     * Returns the probability of as many histories with duplicates by RDMA if RDMA made no difference: Fisher's exact
     * test, with the proxies that have RDMA off as the control. 1 without a control.
     */
    double chanceOfDuplicates() {
        long[] rdma = withDuplicates(Arm.RDMA);
        long[] control = withDuplicates(Arm.TCP);
        return FisherExact.pValue(rdma[0], rdma[1], control[0], control[1]);
    }

    boolean hasMoreDuplicatesByRdma() {
        return chanceOfDuplicates() < FisherExact.LEVEL;
    }

    private Map<String, Map<Arm, Long>> counts(Function<Report, Map<String, Long>> kinds) {
        Map<String, Map<Arm, Long>> counts = new TreeMap<>();
        each(result -> kinds.apply(result.report())
                .forEach((kind, count) -> counts.computeIfAbsent(kind, unused -> new EnumMap<>(Arm.class))
                        .merge(result.arm(), count, Long::sum)));
        return counts;
    }

    /** Returns the latest reason per class for skipped or failed faults. */
    Map<FaultClass, String> notes(FaultOutcome.State state) {
        Map<FaultClass, String> notes = new EnumMap<>(FaultClass.class);
        each(result -> result.outcomes().stream()
                .filter(outcome -> outcome.state() == state)
                .forEach(outcome -> notes.put(outcome.faultClass(), outcome.note())));
        return notes;
    }

    Times afterReturn(Arm arm) {
        return times(arm, ArmResult::afterReturnNs, RETURN_GOAL_NS);
    }

    Times afterLoss() {
        return times(Arm.RDMA, ArmResult::afterLossNs, LOSS_GOAL_NS);
    }

    Times afterLossAtRest() {
        return times(Arm.RDMA, ArmResult::afterLossAtRestNs, LOSS_GOAL_NS);
    }

    /** Durations of one kind in nanoseconds; zeros without samples. */
    record Times(int count, long medianNs, long p99Ns, long maxNs, double shareWithin) {
        static Times of(long[] sorted, long goalNs) {
            int count = sorted.length;
            if (count == 0) {
                return new Times(0, 0, 0, 0, 1);
            }
            long within = Arrays.stream(sorted).filter(time -> time <= goalNs).count();
            return new Times(
                    count,
                    sorted[(count - 1) / 2],
                    sorted[(int) Math.min(count - 1L, Math.round(0.99 * count))],
                    sorted[count - 1],
                    (double) within / count);
        }
    }

    private Times times(Arm arm, Function<ArmResult, List<Long>> which, long goalNs) {
        long[] sorted = seeds.stream()
                .flatMap(seed -> seed.results().stream())
                .filter(result -> result.arm() == arm)
                .flatMap(result -> which.apply(result).stream())
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        return Times.of(sorted, goalNs);
    }

    private long sum(Function<ArmResult, Long> count) {
        return seeds.stream()
                .flatMap(seed -> seed.results().stream())
                .mapToLong(count::apply)
                .sum();
    }

    private void each(Consumer<ArmResult> action) {
        seeds.forEach(seed -> seed.results().forEach(action));
    }
}
