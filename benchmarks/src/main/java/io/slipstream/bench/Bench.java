// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Runs the rounds: measures each workload on all ways in turn, so that changes of the machine affect all ways. The
 * order rotates from round to round, so that no way always follows the same other one.
 */
final class Bench {
    private final Stage stage;
    private final List<Workload> workloads;
    private final Pace pace;
    private final Progress progress;
    private final ProcessCpu client = ProcessCpu.ofThisProcess();
    private final List<Sample> samples = new ArrayList<>();

    /**
     * @param warmupNs warm-up of each new connection
     * @param measureNs length of each measurement
     */
    record Pace(int rounds, long firstWarmupNs, long warmupNs, long measureNs) {
        /** Time to connect, to read counters and to close. */
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
                warmUp(workload, way);
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

    /** Lets the JVMs compile what the workload runs. */
    void warmUp(Workload workload, Way way) throws IOException {
        try (Exchange exchange = stage.open(way, workload)) {
            Measurement.of(exchange, workload.inFlight(), pace.firstWarmupNs);
        }
    }

    /** Returns the CPU time of the idle broker during one measurement interval. */
    private long idleNs() throws IOException {
        ProcessUse before = stage.brokerUse();
        try {
            TimeUnit.NANOSECONDS.sleep(pace.measureNs);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted while the broker idled");
        }
        return stage.brokerUse().since(before).cpuNs();
    }

    /** @param idleNs CPU time of the idle broker during one measurement; 0 if not measured */
    Sample measure(Workload workload, Way way, int round, long idleNs) throws IOException {
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
