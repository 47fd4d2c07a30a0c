// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.checker.Checker;
import io.slipstream.checker.Report;
import io.slipstream.faults.Arm;
import io.slipstream.faults.FaultFailure;
import io.slipstream.faults.judge.AnomalyTally;
import io.slipstream.faults.judge.DuplicateTally;
import io.slipstream.faults.judge.MarkerExcuses;
import io.slipstream.faults.judge.SkippedMarker;
import io.slipstream.faults.judge.WallClock;
import io.slipstream.history.HistoryFile;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
import io.slipstream.history.RunEvent.FaultsStopped;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * One round: new processes and data, and the kills of a schedule in turn under continuous load. Then the system becomes
 * quiescent and is checked.
 */
final class CrashRun {
    private final CrashPlan plan;
    private final CrashSchedule schedule;
    private final CrashEvidence evidence;
    private final Consumer<KillOutcome> progress;

    /** @param progress receives each kill before its logs are checked */
    CrashRun(CrashPlan plan, CrashSchedule schedule, CrashEvidence evidence, Consumer<KillOutcome> progress) {
        this.plan = plan;
        this.schedule = schedule;
        this.evidence = evidence;
        this.progress = progress;
    }

    /** Leaves its files in place; the caller deletes them after a clean round. */
    CrashResult run() {
        long startNs = System.nanoTime();
        Live live;
        try (Recorder recorder = HistoryFile.create(evidence.history());
                CrashDeployment deployment = CrashDeployment.start(plan, schedule)) {
            try {
                live = live(deployment, recorder);
            } finally {
                deployment.broker().kill9();
                evidence.keep(deployment.logs(), deployment.broker().logDirectory());
            }
        }
        HistoryFile history = HistoryFile.open(evidence.history());
        AnomalyTally anomalies = new AnomalyTally(MarkerExcuses.of(live.skippedMarkers, live.clock, history));
        Report report = Checker.check(history, anomalies);
        DuplicateTally duplicates = DuplicateTally.of(history);
        return new CrashResult(
                schedule,
                live.outcomes,
                live.atRest,
                report,
                duplicates,
                live.files,
                live.batches,
                anomalies,
                System.nanoTime() - startNs);
    }

    /** The facts known when the processes have ended. */
    private record Live(
            List<KillOutcome> outcomes,
            List<String> atRest,
            long files,
            long batches,
            List<SkippedMarker> skippedMarkers,
            WallClock clock) {}

    private Live live(CrashDeployment deployment, Recorder recorder) {
        int node = deployment.broker().nodeId();
        Path logDirectory = deployment.broker().logDirectory();
        try (CrashClients clients = new CrashClients(plan, schedule, deployment, recorder);
                RecoveryJudge judge = new RecoveryJudge(evidence.images(), clients, node)) {
            clients.start(schedule);
            List<KillOutcome> outcomes = new ArrayList<>();
            List<Future<List<String>>> verdicts = new ArrayList<>();
            Load load = new Load(clients::acknowledged, plan.arm() == Arm.RDMA ? deployment.proxies() : List.of());
            for (Kill kill : schedule.kills()) {
                KillOutcome outcome = strike(kill, deployment, clients, judge, load, recorder, verdicts);
                outcomes.add(outcome);
                progress.accept(outcome);
            }
            recorder.record(new FaultsStopped(recorder.nowNs()));
            List<KillOutcome> judged = judged(outcomes, verdicts);
            clients.finish(logDirectory, node);
            deployment.broker().stop();
            Images.copy(logDirectory, evidence.images().atRest());
            List<String> atRest = judge.inspect(evidence.images().atRest());
            return new Live(
                    judged,
                    atRest,
                    judge.files(),
                    judge.batches(),
                    SkippedMarker.in(List.of(deployment.broker().log())),
                    WallClock.of(recorder));
        }
    }

    private KillOutcome strike(
            Kill kill,
            CrashDeployment deployment,
            CrashClients clients,
            RecoveryJudge judge,
            Load load,
            Recorder recorder,
            List<Future<List<String>>> verdicts) {
        long startNs = System.nanoTime();
        Strike strike = new Strike(deployment, kill);
        load.begin();
        if (kill.warm()) {
            load.awaitWarm();
        }
        load.watch(kill.delayMs(), kill.atPeak());
        long byRdma = load.byRdma();
        long acknowledged = load.acknowledged();
        recorder.record(new FaultBegun(
                recorder.nowNs(), kill.number() - 1, "kill", kill.victim().label()));
        strike.kill();
        long goneNs = recorder.nowNs();
        Map<String, LogImage> dead = Map.of();
        long servingNs = 0;
        if (kill.victim().strikesBroker()) {
            Images.copy(deployment.broker().logDirectory(), evidence.images().dead(kill));
            dead = Images.read(evidence.images().dead(kill), clients.directories());
            Strike.pause(kill.downMs());
            long launchedNs = System.nanoTime();
            RecoveryWatch watch = new RecoveryWatch(deployment.broker());
            deployment.broker().relaunch();
            watch.copy(deployment.broker(), evidence.images().recovered(kill));
            verdicts.add(judge.judge(kill, dead, goneNs));
            strike.startProxy();
            strike.awaitBroker();
            servingNs = System.nanoTime() - launchedNs;
        } else {
            Strike.pause(kill.downMs());
            strike.startProxy();
            verdicts.add(null);
        }
        recorder.record(new FaultEnded(recorder.nowNs(), kill.number() - 1));
        return new KillOutcome(
                kill,
                byRdma,
                acknowledged,
                dead.values().stream().mapToLong(LogImage::beyondBytes).sum(),
                (int) dead.values().stream()
                        .filter(image -> image.beyondBytes() > 0)
                        .count(),
                servingNs,
                System.nanoTime() - startNs,
                List.of());
    }

    private static List<KillOutcome> judged(List<KillOutcome> outcomes, List<Future<List<String>>> verdicts) {
        List<KillOutcome> judged = new ArrayList<>();
        for (int i = 0; i < outcomes.size(); i++) {
            Future<List<String>> verdict = verdicts.get(i);
            judged.add(outcomes.get(i).with(verdict == null ? List.of() : RecoveryJudge.await(verdict)));
        }
        if (judged.isEmpty()) {
            throw new FaultFailure("nothing was killed");
        }
        return judged;
    }
}
