// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.IdleOptions.Plan;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures numbers of consumers and cases in turn, in a rotating order. In each, the consumers wait for some seconds;
 * then records arrive one by one.
 */
final class IdleBench {
    /**
     * Pause between records: long enough for the consumers to wait again, and random, so that no timer aligns with it.
     */
    private static final int LEAST_PAUSE_MS = 5;

    private static final int MOST_PAUSE_MS = 25;
    private static final int LEAST_SETTLE_MS = 3_000;
    private static final int WARMUP_SPEED = 10;

    private final IdleStage stage;
    private final Plan plan;
    private final List<Turn> turns = new ArrayList<>();
    private final List<IdleCase> cases;
    private final Progress progress;
    private final Random random = new Random(IdleSuite.SEED);

    private record Turn(int consumers, IdleCase idleCase) {}

    /** @param cases must include NOBODY */
    IdleBench(IdleStage stage, Plan plan, List<Integer> counts, List<IdleCase> cases, Progress progress) {
        this.stage = stage;
        this.plan = plan;
        this.cases = cases;
        this.progress = progress;
        turns.add(new Turn(0, IdleCase.NOBODY));
        for (int count : counts) {
            for (IdleCase each : cases) {
                if (each != IdleCase.NOBODY) {
                    turns.add(new Turn(count, each));
                }
            }
        }
    }

    List<IdleSample> run() throws IOException {
        progress.say(
                0,
                "broker pid " + stage.brokerPid() + ", proxy pid " + stage.proxyPid(Way.PROXY_RDMA) + "; warming up");
        warmUp();
        List<IdleSample> samples = new ArrayList<>();
        for (int round = 0; round < plan.rounds(); round++) {
            for (int i = 0; i < turns.size(); i++) {
                Turn turn = turns.get((i + round) % turns.size());
                IdleSample sample = measure(turn, round);
                samples.add(sample);
                progress.say(
                        (double) samples.size() / (plan.rounds() * turns.size()),
                        String.format(
                                "round %d/%d  %4d consumers  %-12s broker %.1f %%, proxy %.1f %%, %.0f polls/s",
                                round + 1,
                                plan.rounds(),
                                turn.consumers,
                                sample.idleCase().label(),
                                sample.broker() * 100,
                                sample.proxy() * 100,
                                sample.polls() * 1e9 / sample.elapsedNs()));
            }
        }
        return samples;
    }

    /** Makes all JVMs compile the code under test, which nearly idle consumers alone would do too slowly. */
    private void warmUp() throws IOException {
        int consumers = plan.mostConsumers();
        for (IdleCase idleCase : cases) {
            if (idleCase != IdleCase.NOBODY) {
                try (IdleConsumers waiting = stage.consumers(
                        idleCase.way(),
                        consumers,
                        plan.partitionsOf(consumers),
                        Math.max(1, plan.maxWaitMs() / WARMUP_SPEED))) {
                    pause(TimeUnit.SECONDS.toMillis(plan.warmupSeconds()));
                    produce(waiting, plan.partitionsOf(consumers), Measurement.newHistogram());
                }
            }
        }
    }

    private IdleSample measure(Turn turn, int round) throws IOException {
        Histogram acknowledged = Measurement.newHistogram();
        if (turn.idleCase == IdleCase.NOBODY) {
            settle();
            return wait(turn, round, null, acknowledged);
        }
        int partitions = plan.partitionsOf(turn.consumers);
        try (IdleConsumers waiting =
                stage.consumers(turn.idleCase.way(), turn.consumers, partitions, plan.maxWaitMs())) {
            settle();
            IdleSample sample = wait(turn, round, waiting, acknowledged);
            produce(waiting, partitions, acknowledged);
            return sample;
        }
    }

    /** Sends records one after another, each when all consumers of its partition have received the last one. */
    private void produce(IdleConsumers waiting, int partitions, Histogram acknowledged) throws IOException {
        for (int i = 0; i < plan.records(); i++) {
            int partition = random.nextInt(partitions);
            waiting.announce();
            long sentNs = System.nanoTime();
            stage.produce(partition);
            acknowledged.recordValue(System.nanoTime() - sentNs);
            waiting.awaitHeld(partition);
            pause(random.nextInt(LEAST_PAUSE_MS, MOST_PAUSE_MS));
        }
    }

    /** Waits until sessions are bound, partitions located and armed, and the last case's state is gone. */
    private void settle() throws InterruptedIOException {
        pause(Math.max(LEAST_SETTLE_MS, 3 * plan.maxWaitMs()));
    }

    private IdleSample wait(Turn turn, int round, IdleConsumers waiting, Histogram acknowledged)
            throws InterruptedIOException {
        Way way = turn.idleCase.way();
        ProcessCpu client = ProcessCpu.ofThisProcess();
        long byRdma = stage.requestsByRdma(way);
        long polls = waiting == null ? 0 : waiting.answers();
        long brokerNs = stage.brokerNs();
        long proxyNs = stage.proxyNs(way);
        long clientNs = client.readNs();
        long startNs = System.nanoTime();
        pause(TimeUnit.SECONDS.toMillis(plan.seconds()));
        long elapsedNs = System.nanoTime() - startNs;
        return new IdleSample(
                turn.consumers,
                turn.idleCase,
                round,
                elapsedNs,
                stage.brokerNs() - brokerNs,
                stage.proxyNs(way) - proxyNs,
                client.readNs() - clientNs,
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
}
