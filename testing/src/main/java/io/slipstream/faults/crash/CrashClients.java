// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.faults.FaultFailure;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunKind;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.workload.ClientSettings;
import io.slipstream.workload.FinalRead;
import io.slipstream.workload.GroupState;
import io.slipstream.workload.LogDump;
import io.slipstream.workload.RecordedRun;
import io.slipstream.workload.Workload;
import io.slipstream.workload.WorkloadPlan;
import io.slipstream.workload.WorkloadShape;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The clients of a round. Some partitions have a single idempotent producer with five requests in flight. One partition
 * has producers without sequences (acks all and 1). Other partitions are shared by idempotent, plain (acks all and 1)
 * and transactional producers, through all proxies and directly at the broker. Segments are small, so that logs roll.
 * Brokers refuse some records.
 */
final class CrashClients implements AutoCloseable {
    /** Causes several rolls per second at high rates. */
    private static final String SMALL_SEGMENT_BYTES = "262144";
    /** Large enough for several batches per segment. */
    private static final String LARGER_SEGMENT_BYTES = "1048576";

    private static final String MOST_BATCH_BYTES = "65536";

    private static final int REFUSED_BYTES = 100_000;
    private static final List<String> CODECS = List.of("none", "lz4", "zstd", "snappy", "gzip");
    private static final int REQUEST_TIMEOUT_MS = Patience.ms(3_000);
    private static final int DELIVERY_TIMEOUT_MS = Patience.ms(30_000);
    private static final Duration PATIENCE = Patience.ofSeconds(120);
    private static final Duration CLOSE_PATIENCE = Patience.ofSeconds(20);

    private final RecordedRun run;
    private final LogDump dumps;
    private final ClientSettings direct;
    private final List<ClientSettings> entrances = new ArrayList<>();
    private final List<Workload> workloads = new ArrayList<>();

    /** Declares the run in the history. */
    CrashClients(CrashPlan plan, CrashSchedule schedule, CrashDeployment deployment, Recorder recorder) {
        run = new RecordedRun(
                recorder,
                schedule.recoversLoad() ? RunKind.CRASH : RunKind.CRASH_WITHOUT_RECOVERY,
                plan.armLabel(),
                schedule.seed(),
                deployment.broker().clusterId());
        dumps = new LogDump(run);
        direct = settings(deployment.broker().bootstrapServers());
        for (ProxyProcess proxy : deployment.proxies()) {
            entrances.add(settings(proxy.bootstrapServers()));
        }
        if (entrances.isEmpty()) {
            entrances.add(direct);
        }
    }

    private static ClientSettings settings(String bootstrap) {
        return new ClientSettings(bootstrap, REQUEST_TIMEOUT_MS, DELIVERY_TIMEOUT_MS);
    }

    void start(CrashSchedule schedule) {
        // Producers take codecs in turn; the seed selects the first one.
        int first = new SplittableRandom(schedule.seed()).nextInt(CODECS.size());
        List<String> codecs = new ArrayList<>(CODECS.subList(first, CODECS.size()));
        codecs.addAll(CODECS.subList(0, first));
        List<ClientSettings> everywhere = new ArrayList<>(entrances);
        everywhere.add(direct);
        start(plan(schedule, codecs, "alone", 2, 1, 0, 0, 0), List.of(entrances.get(0)), LARGER_SEGMENT_BYTES);
        start(plan(schedule, codecs, "plain", 1, 0, 2, 0, 0), entrances, SMALL_SEGMENT_BYTES);
        start(plan(schedule, codecs, "shared", 2, everywhere.size(), 2, 1, 1), everywhere, SMALL_SEGMENT_BYTES);
    }

    private static WorkloadPlan plan(
            CrashSchedule schedule,
            List<String> codecs,
            String topic,
            int partitions,
            int idempotent,
            int plain,
            int transactional,
            int readers) {
        return new WorkloadPlan(
                schedule.seed(),
                List.of(topic),
                partitions,
                1,
                codecs,
                idempotent,
                plain,
                transactional,
                readers,
                0,
                0,
                0,
                schedule.mostFillerBytes(),
                schedule.recordsPerSecond());
    }

    private void start(WorkloadPlan plan, List<ClientSettings> ways, String segmentBytes) {
        Map<String, String> settings =
                Map.of("internal.segment.bytes", segmentBytes, "max.message.bytes", MOST_BATCH_BYTES);
        workloads.add(Workload.start(run, plan, new WorkloadShape(ways, settings, REFUSED_BYTES), direct));
    }

    /** Returns the number of acknowledged sends so far. */
    long acknowledged() {
        return workloads.stream().mapToLong(Workload::acknowledged).sum();
    }

    /** Returns the directory names of these clients' partitions. */
    List<String> directories() {
        return run.partitions().stream().map(Object::toString).toList();
    }

    /** Records a recovered log; see {@link LogDump#recordImage}. One thread at a time. */
    void recordImage(Path logDirectory, int node, long asOfNs) {
        dumps.recordImage(node, logDirectory, asOfNs);
    }

    /** Waits until the system is quiescent and records its state. */
    void finish(Path logDirectory, int node) {
        for (Workload workload : workloads) {
            List<String> late = workload.stop(PATIENCE);
            if (!late.isEmpty()) {
                throw new FaultFailure("clients did not stop within " + PATIENCE.toSeconds() + " s: " + late);
            }
            if (!workload.failures().isEmpty()) {
                throw new FaultFailure("clients ended early: " + workload.failures());
            }
        }
        FinalRead.recordBoth(run, entrances.get(0), PATIENCE);
        GroupState.record(run, direct);
        dumps.record(direct, Map.of(node, logDirectory));
    }

    /** Clients of an abandoned round must stop, because they would record into a closed history. */
    @Override
    public void close() {
        workloads.forEach(workload -> workload.stop(CLOSE_PATIENCE));
    }
}
