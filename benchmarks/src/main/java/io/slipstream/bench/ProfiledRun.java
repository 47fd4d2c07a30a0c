// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.profile.ProfileDirectory;
import io.slipstream.bench.profile.Profiler;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures workloads once more on each way to profile the processes. A failure is reported and affects only its
 * profile. Confined to one thread.
 */
final class ProfiledRun implements AutoCloseable {
    /** Time to connect, warm up, attach and write. */
    private static final long AROUND_MS = 1_500;

    private final ProfileDirectory directory;
    private final Profiler profiler;
    private final long measureNs;
    private final Progress progress;

    private ProfiledRun(ProfileDirectory directory, Profiler profiler, long measureNs, Progress progress) {
        this.directory = directory;
        this.profiler = profiler;
        this.measureNs = measureNs;
        this.progress = progress;
    }

    /** Returns null, and reports the reason, if profiling is impossible. */
    static ProfiledRun into(Path directory, int measureMs, Progress progress) {
        try {
            return new ProfiledRun(
                    new ProfileDirectory(directory),
                    Profiler.unpack(),
                    TimeUnit.MILLISECONDS.toNanos(measureMs),
                    progress);
        } catch (IOException e) {
            progress.say(0, "no profiles: " + e);
            return null;
        }
    }

    /** 0 without profiling. */
    static long estimateMs(BenchOptions options, int workloads, int ways) {
        return options.profile() == null ? 0 : (long) workloads * ways * (options.profileMs() + AROUND_MS);
    }

    void run(String suite, Stage stage, List<Workload> workloads, long warmupNs) throws InterruptedIOException {
        for (Workload workload : workloads) {
            for (Way way : Bench.waysOf(workload, stage.ways())) {
                Map<String, Long> processes = stage.processes(way);
                if (processes.isEmpty()) {
                    continue;
                }
                progress.say(1, "profiling: " + workload.label() + ", " + way.label());
                try {
                    profile(suite, stage, workload, way, warmupNs);
                } catch (SocketTimeoutException e) {
                    // An answer timed out; the thread was not interrupted.
                    progress.say(1, "not profiled: " + e);
                } catch (InterruptedIOException e) {
                    throw e;
                } catch (IOException | RuntimeException e) {
                    progress.say(1, "not profiled: " + e);
                }
            }
        }
    }

    private void profile(String suite, Stage stage, Workload workload, Way way, long warmupNs) throws IOException {
        Map<String, Profiler.Recording> recordings = new TreeMap<>();
        try (Exchange exchange = stage.open(way, workload)) {
            Measurement.of(exchange, workload.inFlight(), warmupNs);
            for (var process : stage.processes(way).entrySet()) {
                try {
                    recordings.put(process.getKey(), profiler.start(process.getValue()));
                } catch (InterruptedIOException e) {
                    throw e;
                } catch (IOException e) {
                    progress.say(1, process.getKey() + " not profiled: " + e.getMessage());
                }
            }
            if (recordings.isEmpty()) {
                return;
            }
            Measurement measurement = Measurement.of(exchange, workload.inFlight(), measureNs);
            boolean isScan = workload.kind() == Workload.Kind.SCAN;
            for (var recording : recordings.entrySet()) {
                directory.add(
                        recording.getValue(),
                        List.of(suite, workload.name(), way.name(), recording.getKey()),
                        workload.label() + ", " + way.label() + ", " + recording.getKey(),
                        isScan ? measurement.recordBytes() / (double) (1 << 20) : measurement.operations(),
                        isScan ? "MiB" : "op",
                        profiler.event());
            }
        } finally {
            for (Profiler.Recording recording : recordings.values()) {
                recording.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        profiler.close();
    }
}
