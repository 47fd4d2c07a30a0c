package io.slipstream.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * All rounds of one case. Processor time is in processors (1 is one of them, all the time); what consumers add to the broker's is the difference to
 * nobody within a round.
 */
record IdleSummary(
        IdleCase idleCase,
        double pollsPerSecond,
        double rdmaShare,
        Spread broker,
        Spread brokerAdded,
        Spread proxy,
        double client,
        Histogram wakeUps,
        Histogram firstWakeUps,
        Histogram acknowledged) {
    /** Of the values of the rounds. */
    record Spread(double median, double lowest, double highest) {
        static Spread of(double[] values) {
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            int middle = sorted.length / 2;
            double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
            return new Spread(median, sorted[0], sorted[sorted.length - 1]);
        }

        /** Whether the rounds leave it open on which side of zero the value is, or say that it is below. */
        boolean reachesZero() {
            return lowest <= 0;
        }
    }

    static IdleSummary of(IdleCase idleCase, List<IdleSample> all) {
        List<IdleSample> samples = select(all, idleCase);
        List<IdleSample> nobody = select(all, IdleCase.NOBODY);
        double[] added = new double[samples.size()];
        for (int i = 0; i < added.length; i++) {
            added[i] = samples.get(i).broker() - nobody.get(i).broker();
        }
        Histogram wakeUps = Measurement.newHistogram();
        Histogram firstWakeUps = Measurement.newHistogram();
        Histogram acknowledged = Measurement.newHistogram();
        long polls = 0;
        long byRdma = 0;
        long elapsedNs = 0;
        for (IdleSample sample : samples) {
            wakeUps.add(sample.wakeUps());
            firstWakeUps.add(sample.firstWakeUps());
            acknowledged.add(sample.acknowledged());
            polls += sample.polls();
            byRdma += sample.byRdma();
            elapsedNs += sample.elapsedNs();
        }
        return new IdleSummary(
                idleCase,
                polls * 1e9 / elapsedNs,
                polls == 0 ? 0 : (double) byRdma / polls,
                spread(samples, IdleSample::broker),
                Spread.of(added),
                spread(samples, IdleSample::proxy),
                spread(samples, IdleSample::client).median(),
                wakeUps,
                firstWakeUps,
                acknowledged);
    }

    private static Spread spread(List<IdleSample> samples, ToDoubleFunction<IdleSample> value) {
        return Spread.of(samples.stream().mapToDouble(value).toArray());
    }

    private static List<IdleSample> select(List<IdleSample> all, IdleCase idleCase) {
        return all.stream().filter(sample -> sample.idleCase() == idleCase).toList();
    }
}
