package io.slipstream.bench;

import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * All rounds of one workload on one way. Latencies are those of all rounds together; the ratio to the direct way is computed within each
 * round, where both ran under the same conditions, and its spread over the rounds tells how far to trust it.
 */
record Summary(
        Workload workload,
        Way way,
        double medianUs,
        double p99Us,
        double operationsPerSecond,
        double ratio,
        double ratioLowest,
        double ratioHighest,
        double brokerCpuUsPerOperation,
        double proxyCpuUsPerOperation,
        double brokerBytesPerOperation,
        double proxyBytesPerOperation,
        double clientCpuUsPerOperation,
        double rdmaShare) {
    static Summary of(Workload workload, Way way, List<Sample> all) {
        List<Sample> samples = select(all, workload, way);
        Histogram latencies = Measurement.newHistogram();
        long operations = 0;
        long elapsedNs = 0;
        ProcessUse broker = ProcessUse.NONE;
        ProcessUse proxy = ProcessUse.NONE;
        long byRdma = 0;
        long clientNs = 0;
        for (Sample sample : samples) {
            latencies.add(sample.measurement().latencies());
            operations += sample.measurement().operations();
            elapsedNs += sample.measurement().elapsedNs();
            broker = broker.plus(sample.broker());
            proxy = proxy.plus(sample.proxy());
            byRdma += sample.requestsByRdma();
            clientNs += sample.clientNs();
        }
        double[] ratios = ratios(samples, select(all, workload, Way.DIRECT));
        return new Summary(
                workload,
                way,
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3,
                operations * 1e9 / elapsedNs,
                ratios[ratios.length / 2],
                ratios[0],
                ratios[ratios.length - 1],
                broker.cpuNs() / 1e3 / operations,
                proxy.cpuNs() / 1e3 / operations,
                (double) broker.allocatedBytes() / operations,
                (double) proxy.allocatedBytes() / operations,
                clientNs / 1e3 / operations,
                (double) byRdma / operations);
    }

    /** Cost relative to the direct way, by round, ascending; below 1 is better than direct. */
    private static double[] ratios(List<Sample> samples, List<Sample> direct) {
        double[] ratios = new double[samples.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = samples.get(i).costUs() / direct.get(i).costUs();
        }
        Arrays.sort(ratios);
        return ratios;
    }

    static List<Sample> select(List<Sample> all, Workload workload, Way way) {
        return all.stream()
                .filter(sample -> sample.workload() == workload && sample.way() == way)
                .toList();
    }
}
