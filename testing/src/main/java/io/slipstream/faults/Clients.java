// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Schedule;
import io.slipstream.history.BrokerEvent.LogStartMoved;
import io.slipstream.history.BrokerEvent.PartitionDeleted;
import io.slipstream.history.Recorder;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.workload.ClientSettings;
import io.slipstream.workload.FinalRead;
import io.slipstream.workload.GroupState;
import io.slipstream.workload.LogDump;
import io.slipstream.workload.RecordedRun;
import io.slipstream.workload.Workload;
import io.slipstream.workload.WorkloadPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.TopicPartition;

/**
 * The clients of a run and their topics, of which some keep everything, one loses records from its start, and one is deleted and made anew. In the end everything is read once more, and logs,
 * groups and transactions are recorded as brokers have them.
 */
final class Clients implements AutoCloseable {
    private static final List<String> COPIED = List.of("orders", "events");
    /** Without idempotence a retry may write a record twice, and a copier would rightly copy it twice. */
    private static final String PLAIN = "plain";

    private static final String TRIMMED = "trimmed";
    private static final String RECREATED = "recreated";
    private static final List<String> CODECS = List.of("none", "lz4", "zstd", "snappy", "gzip");
    /** Of each producer, where nothing else is asked for. */
    static final int RECORDS_PER_SECOND = 1_000;

    private static final int REQUEST_TIMEOUT_MS = Patience.ms(3_000);
    private static final int DELIVERY_TIMEOUT_MS = Patience.ms(20_000);
    private static final Duration PATIENCE = Patience.ofSeconds(120);
    private static final Duration CLOSE_PATIENCE = Patience.ofSeconds(20);

    private final Deployment deployment;
    private final ClusterAdministration administration;
    private final Schedule schedule;
    private final int recordsPerSecond;
    private final RecordedRun run;
    private final ClientSettings throughArm;
    private final ClientSettings direct;
    /** Also those that have ended. */
    private final List<Workload> workloads = new CopyOnWriteArrayList<>();

    private Workload recreated;

    /**
     * Declares the run in the history.
     *
     * @param recordsPerSecond of each producer
     */
    Clients(
            Schedule schedule,
            Arm arm,
            int recordsPerSecond,
            Deployment deployment,
            ClusterAdministration administration,
            Recorder recorder) {
        this.deployment = deployment;
        this.administration = administration;
        this.schedule = schedule;
        this.recordsPerSecond = recordsPerSecond;
        run = new RecordedRun(recorder, arm.name().toLowerCase(Locale.ROOT), schedule.seed(), deployment.clusterId());
        throughArm = settings(String.join(",", deployment.clientBootstraps()));
        direct = settings(deployment.directBootstrap());
    }

    private static ClientSettings settings(String bootstrap) {
        return new ClientSettings(bootstrap, REQUEST_TIMEOUT_MS, DELIVERY_TIMEOUT_MS);
    }

    synchronized void start() {
        start(new WorkloadPlan(
                schedule.seed(), COPIED, 2, replicas(), CODECS, 2, 0, 1, 2, 2, 1, 4_000, recordsPerSecond));
        start(simple(PLAIN, 1, 0, 2));
        start(simple(TRIMMED, 1, 1, 0));
        recreated = start(simple(RECREATED, 1, 1, 0));
    }

    /** Producers and one reader. */
    private WorkloadPlan simple(String topic, int partitions, int idempotent, int plain) {
        return new WorkloadPlan(
                schedule.seed(),
                List.of(topic),
                partitions,
                replicas(),
                CODECS,
                idempotent,
                plain,
                0,
                1,
                0,
                0,
                400,
                recordsPerSecond);
    }

    private int replicas() {
        return schedule.topology().brokers();
    }

    private Workload start(WorkloadPlan plan) {
        Workload workload = Workload.start(run, plan, throughArm, direct);
        workloads.add(workload);
        return workload;
    }

    /** Sends that were acknowledged so far. */
    long acknowledged() {
        return workloads.stream().mapToLong(Workload::acknowledged).sum();
    }

    /** Topics that keep every record. */
    List<String> kept() {
        return List.of("orders", "events", PLAIN);
    }

    /** Topics whose log start may move, if that is announced. */
    List<String> trimmed() {
        return List.of(TRIMMED);
    }

    /** Records below {@code logStart} may be gone from now on. */
    void trimming(String topic, int partition, long logStart) {
        int number = run.number(new TopicPartition(topic, partition));
        // By when it has moved nobody claims: what a client has fetched before, it may give out any time later.
        run.recorder().record(new LogStartMoved(run.recorder().nowNs(), Long.MAX_VALUE, number, logStart));
    }

    /** Its clients leave, the topic goes and comes again under its old name, and other clients find it empty. */
    synchronized void recreate() {
        stop(recreated);
        int number = run.number(new TopicPartition(RECREATED, 0));
        run.recorder().record(new PartitionDeleted(run.recorder().nowNs(), number));
        administration.delete(RECREATED);
        ClusterAdministration.persistently(() -> {
            try {
                recreated = start(simple(RECREATED, 1, 1, 0));
            } catch (IllegalStateException e) {
                administration.delete(RECREATED);
                throw new FaultFailure(e.getMessage(), e);
            }
        });
    }

    private static void stop(Workload workload) {
        List<String> late = workload.stop(PATIENCE);
        if (!late.isEmpty()) {
            throw new FaultFailure("clients do not stop within " + PATIENCE.toSeconds() + " s: " + late);
        }
        if (!workload.failures().isEmpty()) {
            throw new FaultFailure("clients ended early: " + workload.failures());
        }
    }

    /** Everything comes to rest, and what is there then is recorded. Readers go on before. */
    synchronized void finish() {
        awaitReaders();
        workloads.forEach(Clients::stop);
        awaitRest();
        FinalRead.record(run, throughArm, false, PATIENCE);
        FinalRead.record(run, throughArm, true, PATIENCE);
        GroupState.record(run, direct);
        Map<Integer, Path> logs = new HashMap<>();
        deployment
                .brokers()
                .forEach(
                        broker -> logs.put(broker.peek().nodeId(), broker.peek().logDirectory()));
        new LogDump(run).record(direct, logs);
    }

    /** Each must be given something after the last fault: what it waits for, or what it has read before. */
    private void awaitReaders() {
        Map<Workload, Map<String, Long>> before = new HashMap<>();
        workloads.stream()
                .filter(workload -> !workload.isStopping())
                .forEach(workload -> before.put(workload, workload.given()));
        if (!Deadline.after(PATIENCE).await(() -> standing(before).isEmpty())) {
            throw new FaultFailure("readers are given nothing for " + PATIENCE.toSeconds() + " s after the last fault: "
                    + standing(before));
        }
    }

    private static List<String> standing(Map<Workload, Map<String, Long>> before) {
        List<String> standing = new ArrayList<>();
        before.forEach((workload, given) -> workload.given().forEach((reader, now) -> {
            if (now <= given.get(reader)) {
                standing.add(reader + " of " + workload.topics());
            }
        }));
        return standing;
    }

    /** Until replicas have caught up, and transactions that were given up are over. What stays behind is recorded as it is. */
    private void awaitRest() {
        List<String> topics =
                run.partitions().stream().map(TopicPartition::topic).distinct().toList();
        Deadline.after(PATIENCE)
                .await(() -> administration.areReplicasInSync(topics) && !administration.hasOpenTransactions());
    }

    /** After {@link #finish} nothing is left to do; clients of an abandoned run must not outlive it, for they would record into a closed history. */
    @Override
    public synchronized void close() {
        workloads.forEach(workload -> workload.stop(CLOSE_PATIENCE));
    }
}
