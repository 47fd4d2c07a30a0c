// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.history.Recorder;
import io.slipstream.history.ResourcePhase;
import io.slipstream.history.RunEvent;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Counts the resources of proxies and brokers before the first client and after the last one. */
final class ProcessGauges {
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    /**
     * Pools and caches keep a few. Links to a broker also use some; they are up at the end but maybe not yet at the
     * start.
     */
    private static final long DESCRIPTOR_TOLERANCE = 32;

    private static final long DESCRIPTORS_OF_LINKS = 32;

    private static final long THREAD_TOLERANCE = 24;
    private static final List<String> HELD_FOR_CLIENTS = List.of(
            "slipstream_requests_in_flight",
            "slipstream_transport_in_flight",
            "slipstream_ring_bytes_in_use",
            "slipstream_sessions_bound",
            "slipstream_grants",
            "slipstream_fetch_waits",
            "slipstream_prefetched_bytes");

    private final Deployment deployment;
    private final Recorder recorder;

    ProcessGauges(Deployment deployment, Recorder recorder) {
        this.deployment = deployment;
        this.recorder = recorder;
    }

    /** @param phase at {@link ResourcePhase#END}, waits for delayed releases */
    void count(ResourcePhase phase) {
        deployment.proxies().forEach(proxy -> {
            if (phase == ResourcePhase.END) {
                Deadline.after(PATIENCE).await(() -> isIdle(proxy.peek()));
            }
            MetricSamples samples = proxy.peek().metrics();
            for (String gauge : HELD_FOR_CLIENTS) {
                record(proxy.toString(), gauge, phase, samples.count(gauge), 0);
            }
            ofProcess(proxy.toString(), proxy.peek().pid(), phase);
        });
        deployment.brokers().forEach(broker -> {
            // Indexes of rolled segments stay mapped, so a broker's descriptors do not measure our resources.
            record(broker.toString(), "threads", phase, entries(broker.peek().pid(), "task"), 2 * THREAD_TOLERANCE);
        });
    }

    private void ofProcess(String name, long pid, ResourcePhase phase) {
        record(
                name,
                "fileDescriptors",
                phase,
                entries(pid, "fd"),
                DESCRIPTOR_TOLERANCE
                        + DESCRIPTORS_OF_LINKS * deployment.brokers().size());
        record(name, "threads", phase, entries(pid, "task"), THREAD_TOLERANCE);
    }

    private static boolean isIdle(ProxyProcess proxy) {
        MetricSamples samples = proxy.metrics();
        return HELD_FOR_CLIENTS.stream().allMatch(gauge -> samples.count(gauge) == 0);
    }

    private void record(String process, String resource, ResourcePhase phase, long count, long tolerance) {
        recorder.record(new RunEvent.ResourceCounted(recorder.nowNs(), process, resource, phase, count, tolerance));
    }

    /** @throws FaultFailure if the process has ended, so that the arm is abandoned and the campaign goes on */
    static long entries(long pid, String directory) {
        try (Stream<Path> entries = Files.list(Path.of("/proc", Long.toString(pid), directory))) {
            return entries.count();
        } catch (IOException e) {
            throw new FaultFailure("cannot count " + directory + " of process " + pid, e);
        }
    }
}
