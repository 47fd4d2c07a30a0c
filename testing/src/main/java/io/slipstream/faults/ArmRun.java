// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.judge.Judgement;
import io.slipstream.faults.judge.SkippedMarker;
import io.slipstream.faults.judge.WallClock;
import io.slipstream.faults.schedule.Schedule;
import io.slipstream.history.HistoryFile;
import io.slipstream.history.Recorder;
import io.slipstream.history.ResourcePhase;
import io.slipstream.process.PathCounts;
import io.slipstream.process.ProxyProcess;
import io.slipstream.workload.ClientNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * One seed in one arm: starts processes and clients, injects faults, waits until the system is quiescent, and checks
 * the recorded history.
 */
final class ArmRun {
    private final Schedule schedule;
    private final Arm arm;
    private final Machine machine;
    private final int recordsPerSecond;
    private final Evidence evidence;
    private final ProcessBug planted;

    /** @param recordsPerSecond rate of each producer */
    ArmRun(Schedule schedule, Arm arm, Machine machine, int recordsPerSecond, Path directory) {
        this(schedule, arm, machine, recordsPerSecond, directory, null);
    }

    /** @param planted the bug in proxies or brokers; null for none */
    ArmRun(Schedule schedule, Arm arm, Machine machine, int recordsPerSecond, Path directory, ProcessBug planted) {
        this.schedule = schedule;
        this.arm = arm;
        this.machine = machine;
        this.recordsPerSecond = recordsPerSecond;
        this.planted = planted;
        evidence = new Evidence(schedule, arm, directory);
    }

    /** Leaves its files in place, also for an abandoned run. The caller deletes them after a clean run. */
    ArmResult run() {
        long startNs = System.nanoTime();
        Live live;
        try (Recorder recorder = HistoryFile.create(evidence.history())) {
            live = live(recorder);
        }
        Judgement judgement =
                Judgement.of(HistoryFile.open(evidence.history()), live.names, live.skippedMarkers, live.clock);
        return new ArmResult(
                arm,
                evidence,
                System.nanoTime() - startNs,
                live.paths,
                live.outcomes,
                judgement,
                live.recoveries.afterReturnNs(),
                live.recoveries.afterLossNs(),
                live.afterLossAtRestNs);
    }

    /** The facts known when the processes have ended. */
    private record Live(
            PathCounts paths,
            ClientNames names,
            List<SkippedMarker> skippedMarkers,
            WallClock clock,
            List<FaultOutcome> outcomes,
            Recoveries recoveries,
            List<Long> afterLossAtRestNs) {}

    private Live live(Recorder recorder) {
        try (Deployment deployment = Deployment.start(schedule, arm, machine, planted);
                ClusterAdministration administration = new ClusterAdministration(
                        deployment.directBootstrap(),
                        IntStream.rangeClosed(1, schedule.topology().brokers())
                                .boxed()
                                .toList())) {
            return live(deployment, administration, recorder);
        }
    }

    private Live live(Deployment deployment, ClusterAdministration administration, Recorder recorder) {
        Recoveries recoveries = new Recoveries();
        List<FaultOutcome> outcomes;
        List<Long> afterLossAtRestNs;
        ClientNames names;
        WallClock clock = WallClock.of(recorder);
        ProcessGauges gauges = new ProcessGauges(deployment, recorder);
        try {
            try (Clients clients = clients(deployment, administration, recorder)) {
                gauges.count(ResourcePhase.BASELINE);
                administration.create(Probe.TOPIC, 1, Map.of("min.insync.replicas", "1"));
                afterLossAtRestNs = arm == Arm.RDMA && planted == null ? LossesAtRest.measureNs(deployment) : List.of();
                clients.start();
                outcomes = strike(deployment, administration, clients, recoveries, recorder);
                clients.finish();
                names = clients.names();
            }
            PathCounts paths = paths(deployment);
            gauges.count(ResourcePhase.END);
            List<SkippedMarker> skippedMarkers = SkippedMarker.in(deployment.brokers().stream()
                    .map(broker -> broker.peek().log())
                    .toList());
            return new Live(paths, names, skippedMarkers, clock, outcomes, recoveries, afterLossAtRestNs);
        } finally {
            evidence.keep(deployment.logs());
        }
    }

    private Clients clients(Deployment deployment, ClusterAdministration administration, Recorder recorder) {
        return new Clients(schedule, arm, recordsPerSecond, deployment, administration, recorder);
    }

    private List<FaultOutcome> strike(
            Deployment deployment,
            ClusterAdministration administration,
            Clients clients,
            Recoveries recoveries,
            Recorder recorder) {
        List<Probe> probes = new ArrayList<>();
        Injections injections = new Injections(
                arm,
                machine,
                new ProcessInjections(deployment, recoveries),
                new ConnectionInjections(deployment, recoveries),
                new AdministrationInjections(administration, clients));
        try (OperationMeter meter = new OperationMeter(clients::acknowledged);
                FaultExecution execution = new FaultExecution(
                        injections,
                        recorder,
                        meter,
                        recoveries,
                        () -> Thread.currentThread().isInterrupted())) {
            deployment
                    .proxies()
                    .forEach(proxy -> probes.add(new Probe(proxy.peek().bootstrapServers(), recoveries.probe())));
            return execution.run(schedule);
        } finally {
            probes.forEach(Probe::close);
        }
    }

    /** Counts of the living proxies; a killed proxy loses its counts. */
    private static PathCounts paths(Deployment deployment) {
        PathCounts paths = PathCounts.NONE;
        for (Guarded<ProxyProcess> proxy : deployment.proxies()) {
            paths = paths.plus(PathCounts.in(proxy.peek().metrics()));
        }
        return paths;
    }
}
