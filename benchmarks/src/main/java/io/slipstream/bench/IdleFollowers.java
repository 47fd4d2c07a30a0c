// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.JvmProfile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The processor time of three brokers that replicate {@value #PARTITIONS} partitions without traffic, by how their
 * followers fetch. The same brokers run on both ways; each leads a third of the partitions.
 */
final class IdleFollowers {
    static final String WORKLOAD = "IDLE_RF3";

    private static final int PARTITIONS = 1_000;
    /** For the links of a switch, and the garbage of the partitions' creation. */
    private static final int SETTLE_SECONDS = 10;

    private static final int SECONDS = 15;
    private static final List<Way> WAYS = List.of(Way.DIRECT, Way.FOLLOWERS);

    private final List<ProcessCpu> processors;
    /** In CPUs, by way, round and broker. */
    private final Map<Way, double[][]> uses = new EnumMap<>(Way.class);

    private IdleFollowers(BrokerCluster cluster, int rounds) {
        processors = cluster.brokers().stream()
                .map(broker -> ProcessCpu.of(broker.pid()))
                .toList();
        WAYS.forEach(way -> uses.put(way, new double[rounds][]));
    }

    static long estimateMs(int rounds) {
        return TimeUnit.SECONDS.toMillis(30 + (1L + rounds) * WAYS.size() * (SETTLE_SECONDS + SECONDS));
    }

    static List<Result> measure(BenchOptions options, String suite, int rounds, Progress progress)
            throws ExecutionException, InterruptedException, TimeoutException {
        progress.say(0, "starting brokers for partitions without traffic");
        try (BrokerCluster cluster = BrokerCluster.start(options.brokerLine(), 3, each -> prepared(each, options));
                Followers followers = new Followers(cluster)) {
            followers.createTopic("idle", PARTITIONS);
            IdleFollowers measured = new IdleFollowers(cluster, rounds);
            // Of the first round most is compilation.
            for (int round = -1; round < rounds; round++) {
                for (int i = 0; i < WAYS.size(); i++) {
                    Way way = WAYS.get((round + 1 + i) % WAYS.size());
                    followers.fetch(way.hasRdmaFollowers());
                    TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
                    double[] used = measured.used();
                    if (round >= 0) {
                        measured.uses.get(way)[round] = used;
                    }
                    progress.say(
                            (double) ((round + 1) * WAYS.size() + i + 1) / ((rounds + 1) * WAYS.size()),
                            String.format(
                                    "round %d/%d  %d partitions without traffic  %s %.2f %% of a processor",
                                    round + 1, rounds, PARTITIONS, way.label(), mean(used) * 100));
                }
            }
            return WAYS.stream().map(way -> measured.result(suite, way)).toList();
        }
    }

    private static BrokerProcess.Builder prepared(BrokerProcess.Builder builder, BenchOptions options) {
        builder.profile(JvmProfile.PRODUCTION);
        return options.isVerbs() ? builder.withVerbs() : builder.withAgent();
    }

    private double[] used() throws InterruptedException {
        List<Long> before = new ArrayList<>();
        processors.forEach(each -> before.add(each.readNs()));
        long startNs = System.nanoTime();
        TimeUnit.SECONDS.sleep(SECONDS);
        double[] used = new double[before.size()];
        for (int i = 0; i < used.length; i++) {
            long elapsedNs = System.nanoTime() - startNs;
            used[i] = (double) (processors.get(i).readNs() - before.get(i)) / elapsedNs;
        }
        return used;
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElseThrow();
    }

    private Result result(String suite, Way way) {
        double[][] used = uses.get(way);
        double[] means = new double[used.length];
        double[] shares = new double[used.length];
        for (int round = 0; round < used.length; round++) {
            means[round] = mean(used[round]);
            shares[round] = highestShare(used[round], uses.get(Way.DIRECT)[round]);
        }
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.BROKER_USE, Figure.ofRounds(means));
        if (way.hasRdmaFollowers()) {
            figures.put(Metric.BROKER_SHARE, Figure.ofRounds(shares));
        }
        Map<String, Long> parameters = Map.of(Subject.PARTITIONS, (long) PARTITIONS);
        return new Result(
                new Subject(suite, WORKLOAD, "1 000 partitions without traffic, 3 replicas", parameters),
                way.side(),
                figures);
    }

    /** Returns the share of the broker that gains least. */
    static double highestShare(double[] used, double[] direct) {
        double highest = 0;
        for (int i = 0; i < used.length; i++) {
            highest = Math.max(highest, used[i] / direct[i]);
        }
        return highest;
    }
}
