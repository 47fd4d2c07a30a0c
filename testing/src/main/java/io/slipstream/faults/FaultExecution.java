// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Episode;
import io.slipstream.faults.schedule.Fault;
import io.slipstream.faults.schedule.Schedule;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunEvent;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/**
 * Executes a schedule, one episode after another, each including the clients' recovery. Faults of an episode overlap,
 * each on its own thread.
 */
final class FaultExecution implements AutoCloseable {
    /** Operations after which clients count as settled. */
    private static final long LEAST_OPERATIONS = 100;

    private static final Duration SETTLE_PATIENCE = Patience.ofSeconds(30);
    private static final long SETTLE_MS = 600;

    private final Injections injections;
    private final Recorder recorder;
    private final OperationMeter meter;
    private final Recoveries recoveries;
    private final BooleanSupplier stopped;
    private final ExecutorService threads = Executors.newCachedThreadPool(body -> {
        Thread thread = new Thread(body, "fault");
        thread.setDaemon(true);
        return thread;
    });
    private int faults;

    FaultExecution(
            Injections injections,
            Recorder recorder,
            OperationMeter meter,
            Recoveries recoveries,
            BooleanSupplier stopped) {
        this.injections = injections;
        this.recorder = recorder;
        this.meter = meter;
        this.recoveries = recoveries;
        this.stopped = stopped;
    }

    /**
     * Returns the outcome of each fault, in schedule order.
     *
     * @throws FaultFailure if a fault cannot be healed
     */
    List<FaultOutcome> run(Schedule schedule) {
        // A fault is judged by the clients that worked before it, and a slow machine starts them late.
        awaitOperations();
        List<FaultOutcome> outcomes = new ArrayList<>();
        for (Episode episode : schedule.episodes()) {
            if (stopped.getAsBoolean()) {
                break;
            }
            new Hold(stopped).forMs(episode.pauseMs());
            outcomes.addAll(run(episode));
        }
        recorder.record(new RunEvent.FaultsStopped(recorder.nowNs()));
        return outcomes;
    }

    private List<FaultOutcome> run(Episode episode) {
        recoveries.begin(episode.isSingle());
        int first = faults;
        faults += episode.faults().size();
        long before = meter.begin();
        List<Future<Attempt>> attempts = new ArrayList<>();
        for (int i = 0; i < episode.faults().size(); i++) {
            Episode.Timed timed = episode.faults().get(i);
            int number = first + i;
            attempts.add(threads.submit(() -> attempt(number, timed)));
        }
        List<Attempt> ended = attempts.stream().map(FaultExecution::await).toList();
        awaitOperations();
        new Hold(stopped).forMs(SETTLE_MS);
        OperationMeter.Span span = meter.since(before);
        List<FaultOutcome> outcomes = new ArrayList<>();
        for (Attempt attempt : ended) {
            outcomes.add(new FaultOutcome(
                    attempt.number,
                    attempt.fault.faultClass(),
                    attempt.target,
                    attempt.state,
                    attempt.note,
                    episode.isSingle(),
                    span.okOperations(),
                    span.longestGapNs()));
        }
        return outcomes;
    }

    private record Attempt(int number, Fault fault, String target, FaultOutcome.State state, String note) {}

    /** In an arm without the target process, the system idles for the same time for comparison. */
    private Attempt attempt(int number, Episode.Timed timed) {
        Hold hold = new Hold(stopped);
        hold.forMs(timed.delayMs());
        Fault fault = timed.fault();
        String target = injections.target(fault);
        recorder.record(new RunEvent.FaultBegun(
                recorder.nowNs(), number, fault.faultClass().label(), target));
        Attempt attempt = attempt(number, fault, target, hold);
        // Before clients have settled: their recovery must not stretch the fault.
        recorder.record(new RunEvent.FaultEnded(recorder.nowNs(), number));
        return attempt;
    }

    private Attempt attempt(int number, Fault fault, String target, Hold hold) {
        String obstacle = injections.obstacle(fault).orElse(null);
        if (obstacle != null) {
            hold.forMs(fault.holdMs());
            return new Attempt(number, fault, target, FaultOutcome.State.SKIPPED, obstacle);
        }
        try {
            injections.of(fault).run(hold);
            return new Attempt(number, fault, target, FaultOutcome.State.CARRIED_OUT, "");
        } catch (FaultFailure e) {
            return new Attempt(number, fault, target, FaultOutcome.State.FAILED, e.getMessage());
        }
    }

    /** Waits until enough operations succeed from now on, or times out. */
    private void awaitOperations() {
        long before = meter.succeeded();
        Deadline.after(SETTLE_PATIENCE)
                .await(() -> stopped.getAsBoolean() || meter.succeeded() - before >= LEAST_OPERATIONS);
    }

    private static Attempt await(Future<Attempt> attempt) {
        try {
            return attempt.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FaultFailure("interrupted");
        } catch (ExecutionException e) {
            throw new FaultFailure(
                    "a fault could not be healed: " + e.getCause().getMessage(), e.getCause());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
