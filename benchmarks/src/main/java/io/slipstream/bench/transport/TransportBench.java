package io.slipstream.bench.transport;

import io.slipstream.bench.Machine;
import io.slipstream.harness.StartFailure;
import io.slipstream.harness.TempDirectory;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./slipstream bench transport}: in turn ours and perftest's, the same operation, the same device, the same processors, one operation at a time. Ours are two JVMs, this one and {@link PeerMain}, as
 * perftest's are two processes; both sides busy poll, and sleep while the other's turn lasts.
 */
@Command(name = "transport")
public final class TransportBench implements Callable<Integer> {
    private static final String VERBS = "verbs";
    /** Before each measurement: caches and the processor's clock; compiling happens before the first. */
    private static final int WARM_UP = 100;

    @Option(names = "--provider", description = "verbs or shm; shm has no perftest to be compared with")
    private String providerName = VERBS;

    @Option(names = "--device", description = "RDMA device; the first if not given")
    private String deviceName;

    @Option(names = "--rounds", description = "rounds over all experiments")
    private int rounds = 9;

    @Option(names = "--iterations", description = "operations of one measurement, ours and perftest's")
    private int iterations = 1_000;

    @Option(names = "--json", description = "also write the result to this file")
    private Path json;

    @Override
    public Integer call() throws Exception {
        if (rounds < 1 || iterations < WARM_UP) {
            throw new StartFailure("--rounds must be positive and --iterations at least " + WARM_UP);
        }
        RdmaProvider provider = RdmaProvider.named(providerName)
                .orElseThrow(() -> new StartFailure("no provider " + providerName + "; there are verbs and shm"));
        provider.unavailableReason().ifPresent(reason -> {
            throw new StartFailure("provider " + providerName + " cannot be used here: " + reason);
        });
        List<Processor> processors = Processor.firstTwo();
        RdmaPort port = providerName.equals(VERBS) ? RdmaPort.find(deviceName) : null;
        Map<String, String> machine = Machine.describe();
        machine.put("jvm flags", jvmFlags());
        machine.put("provider", providerName);
        machine.put("sides on", "processors " + processors.get(0) + " and " + processors.get(1));
        List<Comparison> comparisons;
        try (TempDirectory directory = TempDirectory.create("ss-tb");
                Perftest perftest = port == null ? null : new Perftest(port, processors.get(0), processors.get(1))) {
            if (port != null) {
                machine.put("device", port.describe());
                machine.put("perftest", perftest.version());
            }
            comparisons = compare(provider, port, perftest, processors, directory.path());
        }
        TransportReport report = new TransportReport(machine, iterations, rounds, comparisons);
        report.print(System.out);
        if (json != null) {
            report.write(json);
        }
        return 0;
    }

    /** Of this JVM and, by inheritance, of the peer's. */
    private static String jvmFlags() {
        List<String> flags =
                new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
        flags.removeIf(flag -> !flag.startsWith("-X"));
        return String.join(" ", flags);
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
        System.out.println("starting the peer");
        try (PeerProcess peer = PeerProcess.start(arguments);
                Endpoint endpoint = new Endpoint(provider, port == null ? DeviceConfig.DEFAULT : port.config())) {
            endpoint.connect(peer.address());
            peer.awaitConnected();
            processors.get(0).pinThisThread();
            System.out.println("warming up");
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
        // Who comes first changes from round to round.
        boolean oursFirst = round % 2 == 0;
        if (perftest != null && !oursFirst) {
            comparison.perftest().add(perftest.measure(experiment, iterations));
        }
        ours(experiment, endpoint, peer, WARM_UP);
        comparison.ours().add(ours(experiment, endpoint, peer, iterations));
        if (perftest != null && oursFirst) {
            comparison.perftest().add(perftest.measure(experiment, iterations));
        }
        System.out.println(String.format(
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
