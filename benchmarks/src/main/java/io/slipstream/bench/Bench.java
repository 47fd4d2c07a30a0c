// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Runs the rounds: for each workload the ways in turn, so that what changes in the machine meanwhile hits all of them, in an order that
 * rotates from round to round, so that none always comes after the same other.
 */
final class Bench {
    private final Stage stage;
    private final List<Workload> workloads;
    private final Pace pace;
    private final Progress progress;
    private final ProcessCpu client = ProcessCpu.ofThisProcess();
    private final List<Sample> samples = new ArrayList<>();

    /**
     * @param warmupNs on each new connection before it is measured
     * @param measureNs of each measurement
     */
    record Pace(int rounds, long firstWarmupNs, long warmupNs, long measureNs) {
        /** Connecting, reading counters, and ending. */
        private static final long AROUND_NS = TimeUnit.MILLISECONDS.toNanos(80);

        long estimateMs(List<Workload> workloads, Set<Way> ways) {
            long sumNs = 0;
            for (Workload workload : workloads) {
                sumNs += waysOf(workload, ways).size()
                        * (firstWarmupNs + AROUND_NS + rounds * (warmupNs + measureNs + AROUND_NS));
                sumNs += workload.isThroughput() ? rounds * measureNs : 0;
            }
            return TimeUnit.NANOSECONDS.toMillis(sumNs);
        }
    }

    Bench(Stage stage, List<Workload> workloads, Pace pace, Progress progress) {
        this.stage = stage;
        this.workloads = workloads;
        this.pace = pace;
        this.progress = progress;
    }

    static List<Way> waysOf(Workload workload, Set<Way> ways) {
        return ways.stream()
                .filter(way -> way != Way.ECHO || workload.hasFloor())
                .toList();
    }

    List<Sample> run() throws IOException {
        long startNs = System.nanoTime();
        long estimateNs = TimeUnit.MILLISECONDS.toNanos(pace.estimateMs(workloads, stage.ways()));
        for (Workload workload : workloads) {
            progress.say((double) (System.nanoTime() - startNs) / estimateNs, "warming up: " + workload.label());
            for (Way way : waysOf(workload, stage.ways())) {
                try (Exchange exchange = stage.open(way, workload)) {
                    Measurement.of(exchange, workload.inFlight(), pace.firstWarmupNs);
                }
            }
        }
        for (int round = 0; round < pace.rounds; round++) {
            for (Workload workload : workloads) {
                List<Way> order = waysOf(workload, stage.ways());
                long idleNs = workload.isThroughput() ? idleNs() : 0;
                StringBuilder line = new StringBuilder(
                        String.format("round %d/%d  %-30s", round + 1, pace.rounds, workload.label()));
                for (int i = 0; i < order.size(); i++) {
                    Sample sample = measure(workload, order.get((i + round) % order.size()), round, idleNs);
                    samples.add(sample);
                    line.append(String.format("  %s %.1f us", sample.way().label(), sample.costUs()));
                }
                progress.say((double) (System.nanoTime() - startNs) / estimateNs, line.toString());
            }
        }
        return samples;
    }

    /** Processor time that the broker uses in the time of one measurement while nobody asks it anything. */
    private long idleNs() throws IOException {
        ProcessUse before = stage.brokerUse();
        try {
            TimeUnit.NANOSECONDS.sleep(pace.measureNs);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted while the broker idled");
        }
        return stage.brokerUse().since(before).cpuNs();
    }

    private Sample measure(Workload workload, Way way, int round, long idleNs) throws IOException {
        try (Exchange exchange = stage.open(way, workload)) {
            Measurement.of(exchange, workload.inFlight(), pace.warmupNs);
            long byRdma = stage.requestsByRdma(way);
            ProcessUse broker = stage.brokerUse();
            ProcessUse proxy = stage.proxyUse(way);
            long clientNs = client.readNs();
            Measurement measurement = Measurement.of(exchange, workload.inFlight(), pace.measureNs);
            long clientUsedNs = client.readNs() - clientNs;
            return new Sample(
                    workload,
                    way,
                    round,
                    measurement,
                    stage.brokerUse().since(broker),
                    stage.proxyUse(way).since(proxy),
                    stage.requestsByRdma(way) - byRdma,
                    idleNs * measurement.elapsedNs() / pace.measureNs,
                    clientUsedNs);
        }
    }
}
