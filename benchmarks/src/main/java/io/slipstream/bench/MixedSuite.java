// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.PathCounts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Several topics with several partitions, each with a stock producer and a stock consumer, at a fixed rate, as in the
 * OpenMessaging benchmark.
 */
final class MixedSuite implements Suite {
    private static final String WORKLOAD = "MIXED";
    private static final int TOPICS = 4;
    private static final int PARTITIONS = 4;
    private static final int VALUE_BYTES = 1 << 10;
    private static final int PER_SECOND = 4_000;
    private static final int ROUNDS = 3;
    private static final int MEASURE_MS = 4_000;
    private static final int WARMUP_MS = 4_000;
    private static final long EACH_WARMUP_NS = TimeUnit.SECONDS.toNanos(1);
    /** Time to connect and close the clients, and until all start. */
    private static final long AROUND_MS = 1_000;

    private static final long BEFORE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<Way, List<TopicRef>> topics = new EnumMap<>(Way.class);

    @Override
    public String name() {
        return "mixed";
    }

    @Override
    public String sentence() {
        return "4 topics of 4 partitions, a KafkaProducer and a KafkaConsumer each, 4 000 records of 1 KiB a second in total: delay from the scheduled time until a consumer received each";
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        return options.isQuick() ? List.of() : List.of(WORKLOAD);
    }

    @Override
    public int rounds(BenchOptions options) {
        return options.rounds(ROUNDS);
    }

    @Override
    public long estimateMs(BenchOptions options) {
        long eachMs = AROUND_MS + TimeUnit.NANOSECONDS.toMillis(EACH_WARMUP_NS) + options.measureMs(MEASURE_MS);
        return WorkloadSuite.startMs(this, options)
                + options.servedWays().size() * (AROUND_MS + options.warmupMs(WARMUP_MS) + rounds(options) * eachMs);
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        BenchOptions options = session.options();
        BenchStage stage = session.stage();
        List<Way> ways = List.copyOf(options.servedWays());
        for (Way way : ways) {
            session.progress().say(0, "warming up: " + way.label());
            createTopics(stage, way);
            measure(stage, way, 0, 0, TimeUnit.MILLISECONDS.toNanos(options.warmupMs(WARMUP_MS)));
        }
        long measureNs = TimeUnit.MILLISECONDS.toNanos(options.measureMs(MEASURE_MS));
        List<MixedSample> samples = new ArrayList<>();
        for (int round = 0; round < rounds(options); round++) {
            StringBuilder line = new StringBuilder(String.format("round %d/%d", round + 1, rounds(options)));
            for (int i = 0; i < ways.size(); i++) {
                MixedSample sample =
                        measure(stage, ways.get((i + round) % ways.size()), round, EACH_WARMUP_NS, measureNs);
                samples.add(sample);
                line.append(String.format(
                        "  %s %.0f us, p99 %.0f us", sample.way().label(), sample.medianUs(), sample.p99Us()));
            }
            session.progress().say((round + 1.0) / rounds(options), line.toString());
        }
        stage.retire();
        return result(options.servedWays(), samples);
    }

    private void createTopics(BenchStage stage, Way way) throws IOException {
        List<TopicRef> created = new ArrayList<>();
        for (int i = 0; i < TOPICS; i++) {
            created.add(stage.createTopic(WORKLOAD + '-' + i, way, PARTITIONS));
        }
        topics.put(way, created);
    }

    private MixedSample measure(BenchStage stage, Way way, int round, long warmupNs, long measureNs)
            throws IOException {
        List<TopicTraffic> traffic = new ArrayList<>();
        try {
            Schedule schedule = Schedule.constant((double) PER_SECOND / TOPICS);
            for (TopicRef topic : topics.get(way)) {
                traffic.add(new TopicTraffic(
                        stage.bootstrap(way), topic, PARTITIONS, VALUE_BYTES, schedule, warmupNs, measureNs));
            }
            PathCounts paths = stage.records(way);
            ProcessUse broker = stage.brokerUse();
            ProcessUse proxy = stage.proxyUse(way);
            ProcessCpu client = ProcessCpu.ofThisProcess();
            long clientNs = client.readNs();
            long startNs = System.nanoTime() + BEFORE_NS;
            traffic.forEach(each -> each.start(startNs));
            Histogram delays = Measurement.newHistogram();
            Histogram acknowledgements = Measurement.newHistogram();
            long elapsedNs = 0;
            long records = 0;
            for (TopicTraffic each : traffic) {
                each.await();
                delays.add(each.delays());
                acknowledgements.add(each.acknowledgements());
                elapsedNs = Math.max(elapsedNs, each.elapsedNs());
                records += each.records();
            }
            return new MixedSample(
                    way,
                    round,
                    delays,
                    acknowledgements,
                    elapsedNs,
                    records,
                    stage.brokerUse().since(broker),
                    stage.proxyUse(way).since(proxy),
                    client.readNs() - clientNs,
                    stage.records(way).since(paths));
        } finally {
            traffic.forEach(TopicTraffic::close);
        }
    }

    private SuiteResult result(Set<Way> ways, List<MixedSample> samples) {
        Subject subject = new Subject(
                name(),
                WORKLOAD,
                "mixed, " + PER_SECOND + "/s",
                Map.of(
                        Subject.RECORD_BYTES, (long) VALUE_BYTES,
                        Subject.PARTITIONS, (long) TOPICS * PARTITIONS,
                        Subject.OFFERED, (long) PER_SECOND));
        List<Result> results = new ArrayList<>();
        for (Way way : ways) {
            results.add(MixedSummary.of(subject, way, VALUE_BYTES, samples));
        }
        return new SuiteResult(results, List.of(), WorkloadSuite.problems(results, List.of()));
    }
}
