package io.slipstream.bench;

import java.util.Arrays;
import java.util.List;

/**
 * What moving a gigabyte (10^9 bytes of whole batches) costs, over all rounds of one scan on one way. What the broker uses while nobody asks it
 * anything is subtracted from its processor time, since at our end of the scale it is most of it.
 *
 * @param brokerIdle what was subtracted, in processor seconds a second
 * @param brokerShare of the direct way's processor time of the broker; the extremes are those of single rounds
 */
record ScanSummary(
        Workload workload,
        Way way,
        double megabytesPerSecond,
        double brokerSecondsPerGigabyte,
        double brokerIdle,
        double brokerShare,
        double brokerShareLowest,
        double brokerShareHighest,
        double proxySecondsPerGigabyte,
        double clientSecondsPerGigabyte) {
    static ScanSummary of(Workload workload, Way way, List<Sample> all) {
        List<Sample> samples = Summary.select(all, workload, way);
        List<Sample> direct = Summary.select(all, workload, Way.DIRECT);
        long recordBytes = 0;
        long elapsedNs = 0;
        long idleNs = 0;
        long proxyNs = 0;
        long clientNs = 0;
        for (Sample sample : samples) {
            recordBytes += sample.measurement().recordBytes();
            elapsedNs += sample.measurement().elapsedNs();
            idleNs += sample.brokerIdleNs();
            proxyNs += sample.proxy().cpuNs();
            clientNs += sample.clientNs();
        }
        double[] shares = new double[samples.size()];
        for (int i = 0; i < shares.length; i++) {
            shares[i] =
                    samples.get(i).brokerSecondsPerGigabyte() / direct.get(i).brokerSecondsPerGigabyte();
        }
        Arrays.sort(shares);
        return new ScanSummary(
                workload,
                way,
                recordBytes * 1e3 / elapsedNs,
                brokerSecondsPerGigabyte(samples),
                (double) idleNs / elapsedNs,
                brokerSecondsPerGigabyte(samples) / brokerSecondsPerGigabyte(direct),
                shares[0],
                shares[shares.length - 1],
                (double) proxyNs / recordBytes,
                (double) clientNs / recordBytes);
    }

    private static double brokerSecondsPerGigabyte(List<Sample> samples) {
        double brokerNs = 0;
        long recordBytes = 0;
        for (Sample sample : samples) {
            brokerNs += sample.brokerSecondsPerGigabyte() * sample.measurement().recordBytes();
            recordBytes += sample.measurement().recordBytes();
        }
        return brokerNs / recordBytes;
    }
}
