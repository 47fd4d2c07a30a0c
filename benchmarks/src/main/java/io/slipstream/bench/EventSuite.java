// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Result;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Sensor events at a constant rate and in periodic bursts: delay until the consumer receives each. */
final class EventSuite implements Suite {
    static final long SEED = 2;

    private static final int ROUNDS = 3;
    private static final int MEASURE_MS = 4_000;
    private static final int WARMUP_MS = 3_000;
    /** A multiple of the burst period, so that measurements start with a burst. */
    private static final long EACH_WARMUP_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long AROUND_MS = 150;
    /** Prepared and sent in turn. */
    private static final int EVENTS = 500;

    private final Map<Way, TopicRef> topics = new EnumMap<>(Way.class);
    private final Map<Way, List<RequestFrame>> requests = new EnumMap<>(Way.class);

    @Override
    public String name() {
        return "event-stream";
    }

    @Override
    public String sentence() {
        return "sensor events as JSON, un-batched, at a constant rate and in bursts: delay from the scheduled time until a consumer received each; op are events";
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        List<String> names = new ArrayList<>();
        for (EventStream stream : EventStream.values()) {
            names.add(stream.name());
        }
        return options.isQuick() ? List.of() : names;
    }

    private List<EventStream> chosen(BenchOptions options) {
        List<EventStream> streams = new ArrayList<>(EnumSet.allOf(EventStream.class));
        streams.removeIf(stream -> !options.measures(this, stream.name()));
        return streams;
    }

    @Override
    public int rounds(BenchOptions options) {
        return options.rounds(ROUNDS);
    }

    @Override
    public long estimateMs(BenchOptions options) {
        long eachMs = AROUND_MS + TimeUnit.NANOSECONDS.toMillis(EACH_WARMUP_NS) + options.measureMs(MEASURE_MS);
        return WorkloadSuite.startMs(this, options)
                + options.servedWays().size()
                        * (options.warmupMs(WARMUP_MS)
                                + (long) rounds(options) * chosen(options).size() * eachMs);
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        BenchOptions options = session.options();
        BenchStage stage = session.stage();
        Set<Way> ways = options.servedWays();
        List<EventStream> streams = chosen(options);
        for (Way way : ways) {
            session.progress().say(0, "warming up: " + way.label());
            prepare(way, stage.createTopic("EVENTS", way, 1));
            new EventRun(
                            EventStream.EVENTS_CONSTANT.schedule(),
                            0,
                            TimeUnit.MILLISECONDS.toNanos(options.warmupMs(WARMUP_MS)))
                    .run(stage.address(way), topics.get(way), requests.get(way));
        }
        List<EventSample> samples = measure(session, stage, streams, List.copyOf(ways));
        stage.retire();
        List<Result> results = new ArrayList<>();
        List<Plot> plots = new ArrayList<>();
        for (EventStream stream : streams) {
            for (Way way : ways) {
                results.add(EventSummary.of(name(), stream, way, samples));
            }
            plots.add(EventSummary.overTime(stream, ways, samples));
        }
        return new SuiteResult(results, plots, WorkloadSuite.problems(results, List.of()));
    }

    private void prepare(Way way, TopicRef topic) {
        topics.put(way, topic);
        requests.put(
                way,
                SensorEvents.create(EVENTS, SEED).stream()
                        .map(event -> ProduceRequests.version(ProduceRequests.NEWEST, 1)
                                .add(topic, 0, Batches.of(event))
                                .frame())
                        .toList());
    }

    private List<EventSample> measure(Session session, BenchStage stage, List<EventStream> streams, List<Way> ways)
            throws IOException {
        int rounds = rounds(session.options());
        List<EventSample> samples = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (EventStream stream : streams) {
                StringBuilder line =
                        new StringBuilder(String.format("round %d/%d  %s", round + 1, rounds, stream.label()));
                for (int i = 0; i < ways.size(); i++) {
                    EventSample sample =
                            measure(stage, stream, ways.get((i + round) % ways.size()), round, session.options());
                    samples.add(sample);
                    line.append(String.format(
                            "  %s %.0f us, p99 %.0f us",
                            sample.way().label(), sample.percentileUs(50), sample.percentileUs(99)));
                }
                double done = (double) samples.size() / (rounds * streams.size() * ways.size());
                session.progress().say(done, line.toString());
            }
        }
        return samples;
    }

    private EventSample measure(BenchStage stage, EventStream stream, Way way, int round, BenchOptions options)
            throws IOException {
        long byRdma = stage.requestsByRdma(way);
        ProcessUse broker = stage.brokerUse();
        ProcessUse proxy = stage.proxyUse(way);
        EventRun run = new EventRun(
                        stream.schedule(), EACH_WARMUP_NS, TimeUnit.MILLISECONDS.toNanos(options.measureMs(MEASURE_MS)))
                .run(stage.address(way), topics.get(way), requests.get(way));
        return new EventSample(
                stream,
                way,
                round,
                run.delaysNs(),
                run.firstMeasured(),
                stage.brokerUse().since(broker),
                stage.proxyUse(way).since(proxy),
                stage.requestsByRdma(way) - byRdma,
                run.requests());
    }
}
