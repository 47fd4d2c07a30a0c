package io.slipstream.bench;

import io.slipstream.harness.BrokerLine;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code ./slipstream bench idle}: what consumers cost that wait for records, and how long they take to hold one. Rounds over the cases by
 * turns, in an order that rotates; in each the consumers wait for some seconds, then records come one by one.
 */
@Command(name = "idle")
public final class IdleBench implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final double LEAST_RDMA_SHARE = 0.99;
    /** Between records; long enough for the consumers of the last one to wait again, and never the same, so that no timer keeps step with it. */
    private static final int LEAST_PAUSE_MS = 5;

    private static final int MOST_PAUSE_MS = 25;
    private static final int LEAST_SETTLE_MS = 3_000;
    private static final int WARMUP_SPEED = 10;

    @Spec
    private CommandSpec command;

    @Option(names = "--consumers", description = "so many, each on a connection of its own")
    private int consumers = 1_000;

    @Option(names = "--partitions", description = "of the topic; each consumer reads one")
    private int partitions = 100;

    @Option(names = "--max-wait-ms", description = "of each poll; 500 is the Java client's default")
    private int maxWaitMs = 500;

    @Option(names = "--seconds", description = "length of one time of waiting")
    private int seconds = 10;

    @Option(names = "--warmup-seconds", description = "first, of each case, with polls ten times as often")
    private int warmupSeconds = 20;

    @Option(names = "--records", description = "records after each time of waiting")
    private int records = 300;

    @Option(names = "--rounds", description = "rounds over all cases")
    private int rounds = 3;

    @Option(
            names = "--cases",
            split = ",",
            description = "only these (NOBODY is always measured): ${COMPLETION-CANDIDATES}")
    private Set<IdleCase> cases = EnumSet.allOf(IdleCase.class);

    @Option(names = "--broker", description = "broker line: 4.3 or 4.4")
    private String broker = BrokerLine.NEWEST.number();

    @Option(names = "--json", description = "also write the result to this file")
    private Path json;

    private final Random random = new Random(1);

    @Override
    public Integer call() throws Exception {
        if (consumers < 1
                || partitions < 1
                || maxWaitMs < 1
                || seconds < 1
                || warmupSeconds < 0
                || records < 0
                || rounds < 1) {
            throw new ParameterException(command.commandLine(), "numbers must be positive");
        } else if (partitions > consumers) {
            throw new ParameterException(command.commandLine(), "there must be a consumer for each partition");
        }
        cases = EnumSet.copyOf(cases);
        cases.add(IdleCase.NOBODY);
        BrokerLine line = BrokerLine.of(broker);
        var machine = Machine.describe(line);
        machine.put("consumers", consumers + " on " + partitions + " partitions, max wait " + maxWaitMs + " ms");
        System.out.println("starting a broker and the proxies");
        List<IdleSample> samples = new ArrayList<>();
        try (IdleStage stage = IdleStage.start(cases, consumers, partitions, line)) {
            System.out.println("broker pid " + stage.brokerPid() + ", proxy pid " + stage.proxyPid(Way.PROXY_RDMA));
            List<IdleCase> order = List.copyOf(cases);
            warmUp(stage);
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < order.size(); i++) {
                    IdleSample sample = measure(stage, order.get((i + round) % order.size()), round);
                    samples.add(sample);
                    System.out.printf(
                            "round %d/%d  %-12s broker %.1f %%, proxy %.1f %%, %.0f polls/s%n",
                            round + 1,
                            rounds,
                            sample.idleCase().label(),
                            sample.broker() * 100,
                            sample.proxy() * 100,
                            sample.polls() * 1e9 / sample.elapsedNs());
                }
            }
        }
        List<IdleSummary> summaries =
                cases.stream().map(each -> IdleSummary.of(each, samples)).toList();
        IdleReport report = new IdleReport(machine, summaries, rounds);
        report.print(System.out);
        if (json != null) {
            report.write(json);
        }
        return verdict(summaries);
    }

    /** So that all JVMs have compiled what they will run, which consumers that do next to nothing take very long to bring about. */
    private void warmUp(IdleStage stage) throws IOException {
        for (IdleCase idleCase : cases) {
            if (idleCase != IdleCase.NOBODY) {
                System.out.println("warming up: " + idleCase.label());
                try (IdleConsumers waiting =
                        stage.consumers(idleCase.way(), consumers, Math.max(1, maxWaitMs / WARMUP_SPEED))) {
                    pause(TimeUnit.SECONDS.toMillis(warmupSeconds));
                    produce(stage, waiting, Measurement.newHistogram());
                }
            }
        }
    }

    private IdleSample measure(IdleStage stage, IdleCase idleCase, int round) throws IOException {
        Histogram acknowledged = Measurement.newHistogram();
        if (idleCase == IdleCase.NOBODY) {
            settle();
            return wait(stage, idleCase, round, null, acknowledged);
        }
        try (IdleConsumers waiting = stage.consumers(idleCase.way(), consumers, maxWaitMs)) {
            settle();
            IdleSample sample = wait(stage, idleCase, round, waiting, acknowledged);
            produce(stage, waiting, acknowledged);
            return sample;
        }
    }

    /** One record after the other, each when all consumers of its partition hold it. */
    private void produce(IdleStage stage, IdleConsumers waiting, Histogram acknowledged) throws IOException {
        for (int i = 0; i < records; i++) {
            int partition = random.nextInt(partitions);
            waiting.announce();
            long sentNs = System.nanoTime();
            stage.produce(partition);
            acknowledged.recordValue(System.nanoTime() - sentNs);
            waiting.awaitHeld(partition);
            pause(random.nextInt(LEAST_PAUSE_MS, MOST_PAUSE_MS));
        }
    }

    /** Sessions are bound, partitions located and armed, and what the last case left behind is gone. */
    private void settle() throws InterruptedIOException {
        pause(Math.max(LEAST_SETTLE_MS, 3 * maxWaitMs));
    }

    private IdleSample wait(
            IdleStage stage, IdleCase idleCase, int round, IdleConsumers waiting, Histogram acknowledged)
            throws InterruptedIOException {
        Way way = idleCase.way();
        long self = ProcessHandle.current().pid();
        long byRdma = stage.requestsByRdma(way);
        long polls = waiting == null ? 0 : waiting.answers();
        long brokerNs = stage.brokerNs();
        long proxyNs = stage.proxyNs(way);
        long clientNs = ProcessCpu.readNs(self);
        long startNs = System.nanoTime();
        pause(TimeUnit.SECONDS.toMillis(seconds));
        long elapsedNs = System.nanoTime() - startNs;
        return new IdleSample(
                idleCase,
                round,
                elapsedNs,
                stage.brokerNs() - brokerNs,
                stage.proxyNs(way) - proxyNs,
                ProcessCpu.readNs(self) - clientNs,
                waiting == null ? 0 : waiting.answers() - polls,
                stage.requestsByRdma(way) - byRdma,
                waiting == null ? Measurement.newHistogram() : waiting.wakeUps(),
                waiting == null ? Measurement.newHistogram() : waiting.firstWakeUps(),
                acknowledged);
    }

    private static void pause(long ms) throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted");
        }
    }

    private static int verdict(List<IdleSummary> summaries) {
        for (IdleSummary summary : summaries) {
            if (summary.idleCase() == IdleCase.PROXY_RDMA && summary.rdmaShare() < LEAST_RDMA_SHARE) {
                System.err.printf(
                        "slipstream bench: only %.1f %% of the polls went by RDMA%n", summary.rdmaShare() * 100);
                return FAILED;
            }
        }
        return 0;
    }
}
