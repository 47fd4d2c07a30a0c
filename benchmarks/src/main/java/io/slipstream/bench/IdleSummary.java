// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Side;
import io.slipstream.bench.report.Subject;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * All rounds of one case. CPU time is in CPUs (1 is one fully used CPU). The cost of consumers at the broker is the
 * difference to the case without consumers within a round.
 */
final class IdleSummary {
    private IdleSummary() {}

    /** @param consumers 0 for none */
    static Result of(String suite, int consumers, IdleCase idleCase, List<IdleSample> all) {
        List<IdleSample> samples = select(all, consumers, idleCase);
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.BROKER_USE, spread(samples, IdleSample::broker));
        figures.put(Metric.PROXY_USE, spread(samples, IdleSample::proxy));
        if (idleCase == IdleCase.NOBODY) {
            return new Result(new Subject(suite, "IDLE_0", "no consumer", Map.of()), side(idleCase), figures);
        }
        figures.put(Metric.CLIENT_USE, spread(samples, IdleSample::client));
        figures.put(Metric.BROKER_ADDED, added(samples, select(all, 0, IdleCase.NOBODY)));
        long polls = samples.stream().mapToLong(IdleSample::polls).sum();
        long elapsedNs = samples.stream().mapToLong(IdleSample::elapsedNs).sum();
        figures.put(Metric.POLLS, Figure.of(polls * 1e9 / elapsedNs));
        if (idleCase == IdleCase.PROXY_RDMA) {
            long byRdma = samples.stream().mapToLong(IdleSample::byRdma).sum();
            figures.put(Metric.RDMA_SHARE, Figure.of((double) byRdma / Math.max(1, polls)));
        }
        putLatencies(figures, samples);
        String label = consumers + (consumers == 1 ? " consumer" : " consumers");
        return new Result(
                new Subject(suite, IdleSuite.workload(consumers), label, Map.of(Subject.CONSUMERS, (long) consumers)),
                side(idleCase),
                figures);
    }

    static boolean isMeasured(int consumers, IdleCase idleCase, List<IdleSample> all) {
        return !select(all, consumers, idleCase).isEmpty();
    }

    private static Side side(IdleCase idleCase) {
        return new Side(idleCase.name(), idleCase.label());
    }

    /** Adds latencies of all wake-ups, of the first one and of acknowledgements; nothing without records. */
    private static void putLatencies(Map<Metric, Figure> figures, List<IdleSample> samples) {
        Histogram wakeUps = Measurement.newHistogram();
        Histogram firstWakeUps = Measurement.newHistogram();
        Histogram acknowledged = Measurement.newHistogram();
        for (IdleSample sample : samples) {
            wakeUps.add(sample.wakeUps());
            firstWakeUps.add(sample.firstWakeUps());
            acknowledged.add(sample.acknowledged());
        }
        if (wakeUps.getTotalCount() > 0) {
            figures.put(Metric.ACKED_MEDIAN, us(acknowledged, 50));
            figures.put(Metric.FIRST_MEDIAN, us(firstWakeUps, 50));
            figures.put(Metric.FIRST_P99, us(firstWakeUps, 99));
            figures.put(Metric.MEDIAN, us(wakeUps, 50));
            figures.put(Metric.P99, us(wakeUps, 99));
        }
    }

    private static Figure added(List<IdleSample> samples, List<IdleSample> nobody) {
        double[] added = new double[samples.size()];
        for (int i = 0; i < added.length; i++) {
            added[i] = samples.get(i).broker() - nobody.get(i).broker();
        }
        return Figure.ofRounds(added);
    }

    private static Figure us(Histogram histogram, double percentile) {
        return Figure.of(histogram.getValueAtPercentile(percentile) / 1e3);
    }

    private static Figure spread(List<IdleSample> samples, ToDoubleFunction<IdleSample> value) {
        return Figure.ofRounds(samples.stream().mapToDouble(value).toArray());
    }

    private static List<IdleSample> select(List<IdleSample> all, int consumers, IdleCase idleCase) {
        return all.stream()
                .filter(sample -> sample.consumers() == consumers && sample.idleCase() == idleCase)
                .toList();
    }
}
