// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Targets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Workloads of a raw client at the session's broker and proxies. A figure of the RDMA way with less than 99 % of
 * requests by RDMA is a problem, except for a sweep, whose largest sizes may exceed RDMA's limits; there the column
 * shows the share.
 */
final class WorkloadSuite implements Suite {
    static final Suite ROUND_TRIPS = new WorkloadSuite(
            "round-trips",
            "produce, one-batch fetch, empty fetch, commit of an offset and transaction one at a time, and empty fetches with 32 in flight",
            Effort.TABLE,
            List.of(
                    Workload.PRODUCE,
                    Workload.FETCH,
                    Workload.EMPTY_FETCH,
                    Workload.OFFSET_COMMIT,
                    Workload.TRANSACTION,
                    Workload.EMPTY_FETCH_PIPELINED),
            results -> List.of());
    static final Suite END_TO_END = new WorkloadSuite(
            "end-to-end",
            "from the send of 100 bytes to their receipt by a waiting consumer, and fetches at a log's end",
            Effort.TABLE,
            List.of(Workload.END_TO_END, Workload.END_TO_END_PACED, Workload.FETCH_TAIL),
            results -> List.of());
    static final Suite MEMBERS = new WorkloadSuite(
            "members",
            "heartbeats of the 1 000 members of one group, each on a connection of its own, one at a time",
            Effort.TABLE,
            List.of(Workload.HEARTBEAT),
            results -> List.of());
    static final Suite PRODUCE = new WorkloadSuite(
            "produce",
            "un-batched Produce requests of 1 KiB to one partition, one at a time, 32 in flight and on 32 connections",
            Effort.TABLE,
            List.of(Workload.PRODUCE_1K, Workload.PRODUCE_1K_PIPELINED, Workload.PRODUCE_1K_CONNECTIONS),
            results -> List.of());
    static final Suite FETCH = new WorkloadSuite(
            "fetch",
            "empty fetches, fetches of one batch, and scans of a log of 2 GiB by one and four consumers",
            Effort.TABLE,
            List.of(
                    Workload.EMPTY_FETCH,
                    Workload.FETCH_1K,
                    Workload.FETCH_16K,
                    Workload.EMPTY_FETCH_PIPELINED,
                    Workload.EMPTY_FETCH_CONNECTIONS,
                    Workload.SCAN,
                    Workload.SCAN_4,
                    Workload.SCAN_4_IN_STEP),
            results -> List.of());
    static final Suite STOCK_CLIENT = new WorkloadSuite(
            "stock-client",
            "round trips of the stock Java client, one at a time, next to those of the raw client",
            Effort.TABLE,
            List.of(
                    Workload.PRODUCE,
                    Workload.CLIENT_PRODUCE,
                    Workload.FETCH,
                    Workload.CLIENT_FETCH,
                    Workload.END_TO_END,
                    Workload.CLIENT_END_TO_END),
            results -> List.of());
    static final Suite PRODUCE_SIZES = new WorkloadSuite(
            "produce-sizes",
            "round trip of one un-batched record by its size, acks=1",
            Effort.SWEEP,
            Sweeps.PRODUCE_SIZES,
            Sweeps::produceSizePlots);
    static final Suite PRODUCE_BANDWIDTH = new WorkloadSuite(
            "produce-bandwidth",
            "produce rate of one connection by record size, un-batched and in batches of 64 KiB, and by partitions; broker CPU time per byte",
            Effort.SWEEP,
            Sweeps.PRODUCE_BANDWIDTH,
            Sweeps::produceBandwidthPlots);
    static final Suite FETCH_SIZES = new WorkloadSuite(
            "fetch-sizes",
            "round trip of a fetch of one preloaded batch by its size",
            Effort.SWEEP,
            Sweeps.FETCH_SIZES,
            Sweeps::fetchSizePlots);
    static final Suite FETCH_BANDWIDTH = new WorkloadSuite(
            "fetch-bandwidth",
            "scans of preloaded logs by one consumer by record size, un-batched and in batches of 64 KiB, and by partitions; broker CPU time per byte",
            Effort.SWEEP,
            Sweeps.FETCH_BANDWIDTH,
            Sweeps::fetchBandwidthPlots);

    /** Below this share, figures of the RDMA way are invalid. */
    private static final double LEAST_RDMA_SHARE = 0.99;

    private static final long START_MS = 15_000;

    private final String name;
    private final String sentence;
    private final Effort effort;
    private final List<Workload> workloads;
    private final Function<List<Result>, List<Plot>> plots;

    private WorkloadSuite(
            String name,
            String sentence,
            Effort effort,
            List<Workload> workloads,
            Function<List<Result>, List<Plot>> plots) {
        this.name = name;
        this.sentence = sentence;
        this.effort = effort;
        this.workloads = workloads;
        this.plots = plots;
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
        return workloads.stream()
                .map(Workload::name)
                .filter(each -> !options.isQuick() || Targets.workloads().contains(each))
                .toList();
    }

    private List<Workload> chosen(BenchOptions options) {
        return workloads.stream()
                .filter(each -> options.measures(this, each.name()))
                .toList();
    }

    @Override
    public int rounds(BenchOptions options) {
        return Effort.rounds(options);
    }

    @Override
    public boolean isProfiled() {
        return true;
    }

    @Override
    public long estimateMs(BenchOptions options) {
        long preparedMs = 0;
        for (Workload workload : chosen(options)) {
            preparedMs += workload.kind() == Workload.Kind.SCAN ? workload.isSweep() ? 3_000 : 10_000 : 300;
        }
        Bench.Pace pace = effort.pace(options);
        return startMs(this, options)
                + preparedMs
                + pace.estimateMs(chosen(options), options.ways())
                + ProfiledRun.estimateMs(
                        options, chosen(options).size(), options.servedWays().size());
    }

    /** The first suite also starts the broker and the proxies. */
    static long startMs(Suite suite, BenchOptions options) {
        return options.suites().get(0) == suite ? START_MS : 0;
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        List<Workload> measured = chosen(session.options());
        Bench.Pace pace = effort.pace(session.options());
        BenchStage stage = session.stage();
        session.progress().say(0, "preparing topics and logs");
        stage.prepare(measured);
        List<Sample> samples = new Bench(stage, measured, pace, session.progress()).run();
        session.profile(this, stage, measured, pace);
        stage.retire();
        List<Result> results = Summary.all(name, measured, stage.ways(), samples);
        return new SuiteResult(results, plots.apply(results), problems(results, measured));
    }

    static List<String> problems(List<Result> results, List<Workload> workloads) {
        List<String> sweeps =
                workloads.stream().filter(Workload::isSweep).map(Workload::name).toList();
        List<String> problems = new ArrayList<>();
        for (Result result : results) {
            Figure share = result.figure(Metric.RDMA_SHARE);
            if (share != null
                    && share.value() < LEAST_RDMA_SHARE
                    && !sweeps.contains(result.subject().workload())) {
                problems.add(String.format(
                        "only %.1f %% of the requests of '%s' went by the path of '%s'",
                        share.value() * 100,
                        result.subject().label(),
                        result.side().label()));
            }
        }
        return problems;
    }
}
