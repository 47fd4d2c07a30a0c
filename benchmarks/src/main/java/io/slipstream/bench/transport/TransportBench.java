// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import io.slipstream.bench.Progress;
import io.slipstream.process.StartFailure;
import io.slipstream.process.TempDirectory;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the same operation in turn with ours and perftest, on the same device and CPUs, one operation at a time.
 * Ours are two JVMs, this one and {@link PeerMain}; perftest's are two processes. Both sides busy poll, and sleep
 * during the other's turn.
 */
final class TransportBench {
    private static final String VERBS = "verbs";
    /** Operations before each measurement, for caches and CPU frequency; compilation happens before the first. */
    static final int WARM_UP = 100;

    private final String providerName;
    private final String deviceName;
    private final int rounds;
    private final int iterations;
    private final Progress progress;

    /** @param deviceName null for the first device */
    TransportBench(String providerName, String deviceName, int rounds, int iterations, Progress progress) {
        this.providerName = providerName;
        this.deviceName = deviceName;
        this.rounds = rounds;
        this.iterations = iterations;
        this.progress = progress;
    }

    /**
     * Pins the calling thread to a CPU permanently.
     *
     * @throws io.slipstream.process.StartFailure if the provider is unusable
     */
    List<Comparison> run() throws Exception {
        RdmaProvider provider = RdmaProvider.named(providerName)
                .orElseThrow(() -> new StartFailure("unknown provider " + providerName + "; known: verbs, shm"));
        provider.unavailableReason().ifPresent(reason -> {
            throw new StartFailure("provider " + providerName + " cannot be used here: " + reason);
        });
        List<Processor> processors = Processor.firstTwo();
        RdmaPort port = providerName.equals(VERBS) ? RdmaPort.find(deviceName) : null;
        try (TempDirectory directory = TempDirectory.create("ss-tb");
                Perftest perftest = port == null ? null : new Perftest(port, processors.get(0), processors.get(1))) {
            progress.say(
                    0,
                    "provider " + providerName + ", sides on CPUs " + processors.get(0) + " and "
                            + processors.get(1)
                            + (port == null ? "" : ", device " + port.describe() + ", perftest " + perftest.version()));
            return compare(provider, port, perftest, processors, directory.path());
        }
    }

    private List<Comparison> compare(
            RdmaProvider provider, RdmaPort port, Perftest perftest, List<Processor> processors, Path directory)
            throws Exception {
        List<Comparison> comparisons = Comparison.none();
        List<String> arguments = new ArrayList<>(List.of(
                providerName,
                port == null ? directory.resolve("s").toString() : ":0",
                Integer.toString(processors.get(1).number())));
        if (port != null) {
            arguments.addAll(
                    List.of(port.device(), Integer.toString(port.number()), Integer.toString(port.gidIndex())));
        }
        try (PeerProcess peer = PeerProcess.start(arguments);
                Endpoint endpoint = new Endpoint(provider, port == null ? DeviceConfig.DEFAULT : port.config())) {
            endpoint.connect(peer.address());
            peer.awaitConnected();
            processors.get(0).pinThisThread();
            progress.say(0, "warming up");
            for (Experiment experiment : Experiment.values()) {
                ours(experiment, endpoint, peer, iterations);
            }
            for (int round = 0; round < rounds; round++) {
                for (Comparison comparison : comparisons) {
                    measure(comparison, round, endpoint, peer, perftest);
                }
            }
        }
        return comparisons;
    }

    private void measure(Comparison comparison, int round, Endpoint endpoint, PeerProcess peer, Perftest perftest)
            throws IOException {
        Experiment experiment = comparison.experiment();
        // The order alternates from round to round.
        boolean oursFirst = round % 2 == 0;
        if (perftest != null && !oursFirst) {
            comparison.perftest().add(perftest.measure(experiment, iterations));
        }
        ours(experiment, endpoint, peer, WARM_UP);
        comparison.ours().add(ours(experiment, endpoint, peer, iterations));
        if (perftest != null && oursFirst) {
            comparison.perftest().add(perftest.measure(experiment, iterations));
        }
        progress.say(
                (double) round / rounds,
                String.format(
                        Locale.ROOT,
                        "round %d/%d  %-20s %8.2f us%s",
                        round + 1,
                        rounds,
                        experiment.label(),
                        comparison.ours().get(round).p50Us(),
                        perftest == null
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        ", perftest %8.2f us",
                                        comparison.perftest().get(round).p50Us())));
    }

    private static Latency ours(Experiment experiment, Endpoint endpoint, PeerProcess peer, int operations)
            throws IOException {
        long[] startsNs = new long[operations];
        if (experiment.isPingPong()) {
            peer.begin(experiment, operations);
        }
        endpoint.measure(experiment, startsNs);
        if (experiment.isPingPong()) {
            peer.awaitDone();
        }
        return Latency.between(startsNs, experiment.isPingPong() ? 2 : 1);
    }
}
