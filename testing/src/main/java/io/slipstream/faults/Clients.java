// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Schedule;
import io.slipstream.history.BrokerEvent.PartitionDeleted;
import io.slipstream.history.BrokerEvent.RecordsDeletable;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunEvent.LoadStopping;
import io.slipstream.history.RunKind;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.workload.ClientNames;
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
 * The clients of a run and their topics. Some topics keep all records, one loses records from its start, and one is
 * deleted and recreated. At the end, final readers read everything, and logs, groups and transactions are recorded from
 * the brokers.
 */
final class Clients implements AutoCloseable {
    private static final List<String> COPIED = List.of("orders", "events");
    /** Without idempotence a retry may write a record twice, and a copier then correctly copies it twice. */
    private static final String PLAIN = "plain";

    private static final String TRIMMED = "trimmed";
    private static final String RECREATED = "recreated";
    private static final List<String> CODECS = List.of("none", "lz4", "zstd", "snappy", "gzip");
    /** Default rate of each producer. */
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
    /** Includes ended workloads. */
    private final List<Workload> workloads = new CopyOnWriteArrayList<>();

    private Workload recreated;

    /**
     * Declares the run in the history.
     *
     * @param recordsPerSecond rate of each producer
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
        run = new RecordedRun(
                recorder,
                schedule.topology().brokers() > 1 ? RunKind.REPLICATED_FAULTS : RunKind.FAULTS,
                arm.name().toLowerCase(Locale.ROOT),
                schedule.seed(),
                deployment.clusterId());
        throughArm = settings(String.join(",", deployment.clientBootstraps()));
        direct = settings(deployment.directBootstrap());
    }

    private static ClientSettings settings(String bootstrap) {
        return new ClientSettings(bootstrap, REQUEST_TIMEOUT_MS, DELIVERY_TIMEOUT_MS);
    }

    synchronized void start() {
        start(new WorkloadPlan(
                schedule.seed(), COPIED, 2, replicas(), CODECS, 2, 0, 1, 2, 0, 2, 1, 4_000, recordsPerSecond));
        start(simple(PLAIN, 1, 0, 2, 0));
        start(simple(TRIMMED, 1, 1, 0, 1));
        recreated = start(simple(RECREATED, 1, 1, 0, 0));
    }

    /** A plan with producers and one reader, and slow ones. */
    private WorkloadPlan simple(String topic, int partitions, int idempotent, int plain, int slowReaders) {
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
                slowReaders,
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

    /** Returns the number of acknowledged sends so far. */
    long acknowledged() {
        return workloads.stream().mapToLong(Workload::acknowledged).sum();
    }

    ClientNames names() {
        return run.clientNames();
    }

    /** Returns the topics that keep every record. */
    List<String> kept() {
        return List.of("orders", "events", PLAIN);
    }

    /** Returns the topics whose log start may move after an announcement. */
    List<String> trimmed() {
        return List.of(TRIMMED);
    }

    /** Announces that records below this offset may be deleted from now on. The observers record what was. */
    void trimming(String topic, int partition, long below) {
        int number = run.number(new TopicPartition(topic, partition));
        run.recorder().record(new RecordsDeletable(run.recorder().nowNs(), number, below));
    }

    /** Stops the clients of the topic, deletes and recreates the topic, and starts other clients on the empty topic. */
    synchronized void recreate() {
        stop(recreated);
        int number = run.number(new TopicPartition(RECREATED, 0));
        run.recorder().record(new PartitionDeleted(run.recorder().nowNs(), number));
        administration.delete(RECREATED);
        ClusterAdministration.persistently(() -> {
            try {
                recreated = start(simple(RECREATED, 1, 1, 0, 0));
            } catch (IllegalStateException e) {
                administration.delete(RECREATED);
                throw new FaultFailure(e.getMessage(), e);
            }
        });
    }

    private static void stop(Workload workload) {
        List<String> late = workload.stop(PATIENCE);
        if (!late.isEmpty()) {
            throw new FaultFailure("clients did not stop within " + PATIENCE.toSeconds() + " s: " + late);
        }
        if (!workload.failures().isEmpty()) {
            throw new FaultFailure("clients ended early: " + workload.failures());
        }
    }

    /** Waits until the system is quiescent and records its state. Readers continue until then. */
    synchronized void finish() {
        // Even without a fault that deletes records, the final readers find a log that does not start at 0.
        trimmed()
                .forEach(topic ->
                        ClusterAdministration.persistently(() -> administration.deleteRecords(topic, this::trimming)));
        awaitReaders();
        run.recorder().record(new LoadStopping(run.recorder().nowNs()));
        workloads.forEach(Clients::stop);
        awaitRest();
        FinalRead.recordBoth(run, throughArm, PATIENCE);
        GroupState.record(run, direct);
        Map<Integer, Path> logs = new HashMap<>();
        deployment
                .brokers()
                .forEach(
                        broker -> logs.put(broker.peek().nodeId(), broker.peek().logDirectory()));
        new LogDump(run).record(direct, logs);
    }

    /** Every reader must receive records after the last fault, new ones or old ones. */
    private void awaitReaders() {
        Map<Workload, Map<String, Long>> before = new HashMap<>();
        workloads.stream()
                .filter(workload -> !workload.isStopping())
                .forEach(workload -> before.put(workload, workload.given()));
        if (!Deadline.after(PATIENCE).await(() -> standing(before).isEmpty())) {
            throw new FaultFailure("readers received nothing for " + PATIENCE.toSeconds() + " s after the last fault: "
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

    /**
     * Waits until replicas have caught up and abandoned transactions have ended. Remaining differences are recorded as
     * they are.
     */
    private void awaitRest() {
        List<String> topics =
                run.partitions().stream().map(TopicPartition::topic).distinct().toList();
        Deadline.after(PATIENCE)
                .await(() -> administration.areReplicasInSync(topics) && !administration.hasOpenTransactions());
    }

    /**
     * Does nothing after {@link #finish}. Clients of an abandoned run must stop, because they would record into a
     * closed history.
     */
    @Override
    public synchronized void close() {
        workloads.forEach(workload -> workload.stop(CLOSE_PATIENCE));
    }
}
