// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Targets;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.JvmProfile;
import io.slipstream.process.PathCounts;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Kafka's own measuring tools, or whole jobs, each in its own JVM with the flags of Kafka's scripts, at the session's
 * broker and proxies in turn.
 */
final class ToolSuite implements Suite {
    static final ToolSuite STOCK_TOOLS = new ToolSuite(
            "stock-tools",
            "kafka-producer-perf-test and kafka-consumer-perf-test, saturated, 1 KiB records, one partition; kafka-e2e-latency with 100 bytes; op/s are records",
            StockTool.TOOLS,
            0);
    static final ToolSuite JOBS = new ToolSuite(
            "jobs",
            "whole jobs at exactly-once on a backlog of 1 KiB records: a copier with transactions of 100 records, and Kafka Streams without state, also at a constant load; op/s are records",
            StockTool.JOBS,
            1);
    /** The version of the tools; with other jars some miss classes. */
    static final BrokerLine TOOLS = BrokerLine.KAFKA_4_3;

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int FULL_ROUNDS = 3;
    private static final int QUICK_ROUNDS = 3;
    private static final int QUICK_SHARE = 3;
    /** A transaction on three brokers takes about ten times as long. */
    private static final int REPLICATED_COPIER_SHARE = 8;
    /** Six JVMs compile in bursts, which weigh less in a minute than in 15 s. */
    private static final int REPLICATED_PACED_FACTOR = 4;

    /** Records in the stock producer's batches of 16 KiB. */
    private static final int BATCH_RECORDS = 15;
    /** Time to start a JVM, and record counts of the table's tools at a realistic rate. */
    private static final long START_MS = 1_500;

    private static final long FILL_MS = 4_000;
    /** Time until several brokers are idle. */
    private static final long IDLE_MS = 5_000;

    private static final double LEAST_RDMA_SHARE = 0.99;

    private final String name;
    private final String sentence;
    private final List<StockTool> all;
    private final int warmupRounds;
    private final Map<Way, TopicRef> produced = new EnumMap<>(Way.class);
    private final Map<BenchStage, FilledLog> logs = new HashMap<>();

    /** @param warmupRounds rounds before those that count, in which broker and proxies compile what they run */
    private ToolSuite(String name, String sentence, List<StockTool> all, int warmupRounds) {
        this.name = name;
        this.sentence = sentence;
        this.all = all;
        this.warmupRounds = warmupRounds;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String sentence() {
        return sentence;
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        return tools(options).stream().map(StockTool::name).toList();
    }

    private List<StockTool> tools(BenchOptions options) {
        List<StockTool> tools = new ArrayList<>(all);
        tools.removeIf(tool -> options.isQuick() && !Targets.workloads().contains(tool.name()));
        return tools;
    }

    private List<StockTool> chosen(BenchOptions options) {
        return tools(options).stream()
                .filter(tool -> options.measures(this, tool.name()))
                .toList();
    }

    private static int records(StockTool tool, BenchOptions options) {
        int usual = options.isQuick() ? tool.usualRecords() / QUICK_SHARE : tool.usualRecords();
        return options.toolRecords(options.brokers() > 1 ? replicated(tool, usual) : usual);
    }

    private static int replicated(StockTool tool, int records) {
        return switch (tool) {
            case COPIER -> records / REPLICATED_COPIER_SHARE;
            case STREAMS_PACED -> records * REPLICATED_PACED_FACTOR;
            default -> records;
        };
    }

    @Override
    public int rounds(BenchOptions options) {
        return options.rounds(options.isQuick() ? QUICK_ROUNDS : FULL_ROUNDS);
    }

    /** Six brokers compile on the same processors. */
    private int warmupRounds(BenchOptions options) {
        return options.brokers() > 1 ? 4 * warmupRounds : warmupRounds;
    }

    @Override
    public long estimateMs(BenchOptions options) {
        long runsMs = 0;
        for (StockTool tool : chosen(options)) {
            double expectedUs = switch (tool) {
                case PRODUCER_PERF -> 10;
                case STREAMS -> options.brokers() > 1 ? 70 : 10;
                case CONSUMER_PERF -> 4;
                case COPIER -> options.brokers() > 1 ? 1_500 : 150;
                case STREAMS_PACED -> 500;
                case END_TO_END_LATENCY -> 600;
            };
            runsMs += (options.brokers() > 1 ? START_MS + IDLE_MS : START_MS)
                    + (long) (records(tool, options) * expectedUs / 1e3);
        }
        return WorkloadSuite.startMs(this, options)
                + FILL_MS
                + (long) (warmupRounds(options) + rounds(options))
                        * options.judgedWays().size()
                        * runsMs;
    }

    /** Returns the description of each tool's arguments. */
    String arguments(BenchOptions options) {
        StringBuilder text = new StringBuilder();
        for (StockTool tool : chosen(options)) {
            text.append(text.isEmpty() ? "" : "; ")
                    .append(tool.tool())
                    .append(' ')
                    .append(String.join(" ", tool.arguments(records(tool, options))));
        }
        return text.toString();
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        BenchOptions options = session.options();
        List<StockTool> tools = chosen(options);
        List<Way> ways = List.copyOf(options.judgedWays());
        Map<Way, BenchStage> stages = new EnumMap<>(Way.class);
        for (Way way : ways) {
            stages.put(way, session.stage(way));
        }
        session.progress().say(0, "preparing topics and a log");
        prepare(stages, tools, options);
        List<ToolSample> samples = new ArrayList<>();
        int warmups = warmupRounds(options);
        int runs = (warmups + rounds(options)) * tools.size() * ways.size();
        int run = 0;
        try (TempDirectory directory = TempDirectory.create("ss-t")) {
            for (int round = -warmups; round < rounds(options); round++) {
                for (StockTool tool : tools) {
                    for (int i = 0; i < ways.size(); i++) {
                        Way way = ways.get((i + round + warmups) % ways.size());
                        ToolSample sample = measure(tool, way, round, stages, options, directory.path());
                        if (round >= 0) {
                            samples.add(sample);
                        }
                        run++;
                        session.progress()
                                .say(
                                        (double) run / runs,
                                        String.format(
                                                "round %d/%d  %s  %s %.2f us a record",
                                                round + 1, rounds(options), tool.tool(), way.label(), sample.costUs()));
                    }
                }
            }
        }
        for (BenchStage stage : Set.copyOf(stages.values())) {
            stage.retire();
        }
        logs.clear();
        return result(tools, ways, samples);
    }

    private void prepare(Map<Way, BenchStage> stages, List<StockTool> tools, BenchOptions options) throws IOException {
        int records = tools.stream()
                .filter(StockTool::readsLog)
                .mapToInt(tool -> records(tool, options))
                .max()
                .orElse(0);
        for (var each : stages.entrySet()) {
            BenchStage stage = each.getValue();
            produced.put(each.getKey(), stage.createTopic(name, each.getKey(), 1));
            if (records > 0 && !logs.containsKey(stage)) {
                logs.put(stage, stage.fillLog(name + "-log", (long) records << 10, BATCH_RECORDS, 1 << 10));
            }
        }
    }

    private ToolSample measure(
            StockTool tool, Way way, int round, Map<Way, BenchStage> stages, BenchOptions options, Path directory)
            throws Exception {
        for (BenchStage each : Set.copyOf(stages.values())) {
            each.awaitIdle();
        }
        BenchStage stage = stages.get(way);
        int records = records(tool, options);
        TopicRef topic = source(tool, way, round, stage);
        List<String> command = new ArrayList<>(List.of(ChildProcess.java(), "-Xmx512m"));
        command.addAll(JvmProfile.PRODUCTION.flags());
        command.addAll(StockTool.jvmArguments());
        String classPath = tool.isJob() ? System.getProperty("java.class.path") : TOOLS.classPath();
        command.addAll(List.of("-cp", classPath, tool.className()));
        command.addAll(List.of("--bootstrap-server", stage.bootstrap(way), "--topic", topic.name()));
        if (tool.isJob()) {
            command.addAll(List.of("--to", produced.get(way).name(), "--id", tool + "-" + way + '-' + round));
        }
        command.addAll(tool.arguments(records));
        Map<String, Long> pids = stage.processes(way);
        if (tool.isPaced()) {
            command.addAll(List.of(
                    "--pids", pids.values().stream().map(Object::toString).collect(Collectors.joining(","))));
        }
        Path output = directory.resolve(tool.name() + '-' + way.name() + '-' + round);
        PathCounts paths = stage.records(way);
        long proxyNs = stage.proxyUse(way).cpuNs();
        long brokerNs = stage.brokerUse().cpuNs();
        ChildProcess process = ChildProcess.start(tool.tool(), command, directory, output);
        int status = process.awaitExit(PATIENCE);
        if (status != 0) {
            process.kill9();
            String how =
                    status < 0 ? " is not over after " + PATIENCE.toSeconds() + " s" : " ended with status " + status;
            throw new IOException(tool.tool() + how + process.logTail());
        }
        brokerNs = stage.brokerUse().cpuNs() - brokerNs;
        proxyNs = stage.proxyUse(way).cpuNs() - proxyNs;
        String printed = Files.readString(output);
        if (tool.isPaced()) {
            brokerNs = 0;
            proxyNs = 0;
            for (var each : pids.entrySet()) {
                long usedNs = StockTool.processorsNs(printed, each.getValue());
                if (each.getKey().equals(BenchStage.PROXY)) {
                    proxyNs = usedNs;
                } else {
                    brokerNs += usedNs;
                }
            }
        }
        return new ToolSample(
                tool,
                way,
                round,
                tool.isPaced() ? records - records / 3 : records,
                tool.costUs(printed, records),
                tool.start(printed),
                brokerNs,
                proxyNs,
                stage.records(way).since(paths));
    }

    /** A paced job reads a topic that only it writes, from its beginning. */
    private TopicRef source(StockTool tool, Way way, int round, BenchStage stage) throws IOException {
        if (tool.isPaced()) {
            return stage.createTopic(name + "-load-" + round, way, 1);
        }
        return tool.readsLog() ? logs.get(stage).topic() : produced.get(way);
    }

    private SuiteResult result(List<StockTool> tools, List<Way> ways, List<ToolSample> samples) {
        List<Result> results = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (StockTool tool : tools) {
            for (Way way : ways) {
                Result result = ToolSummary.of(name(), tool, way, samples);
                results.add(result);
                if (way.isRdma() && result.figure(Metric.RDMA_SHARE).value() < LEAST_RDMA_SHARE) {
                    problems.add(String.format(
                            "only %.1f %% of the records of %s went by RDMA",
                            result.figure(Metric.RDMA_SHARE).value() * 100, tool.tool()));
                }
            }
        }
        for (ToolSample sample : samples) {
            if (sample.problem() != null) {
                problems.add(String.format(
                        "%s, %s, round %d: %s",
                        sample.tool().tool(), sample.way().label(), sample.round() + 1, sample.problem()));
            }
        }
        return new SuiteResult(results, List.of(), problems);
    }
}
