// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.Checkout;
import io.slipstream.process.KafkaDistribution;
import io.slipstream.process.OrphanGuard;
import io.slipstream.process.Ports;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code slipstream quickstart}. Exit status 0: every event arrived once, unaltered and in order, and {@code --secure}
 * admitted no unauthorized client. Exit status 1: that failed, or a process did not start. Exit status 2: wrong usage,
 * or no RDMA device for {@code verbs}.
 */
@Command(
        name = "quickstart",
        sortOptions = false,
        description = {
            "Starts a stock Kafka broker with the agent and a proxy, and sends traffic-sensor events through the proxy with the"
                    + " stock Java producer. A consumer group receives them.",
            "Prints record counts by RDMA and by TCP, and latencies. Then serves on localhost:PORT until Ctrl-C."
        },
        footer = {
            "",
            "Exit status: 0 if every event arrived once, unaltered and in order. --secure also requires that all forbidden"
                    + " operations were refused and that 95 %% of the records went by RDMA (unless --provider tcp). 1: one"
                    + " of these failed, or a process did not start. 2: wrong usage, or no RDMA device for verbs."
        })
public final class QuickstartCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Option(names = "--once", description = "Stop after the demonstration instead of serving.")
    private boolean once;

    @Option(
            names = "--secure",
            description =
                    "Broker and proxy serve only SASL_SSL, and Kafka's authorizer checks ACLs. Stock clients of different users"
                            + " produce and consume. The demonstration attempts forbidden operations, then revokes ACLs while"
                            + " clients are running. Prints files and commands that do the same.")
    private boolean secure;

    @Option(names = "--records", paramLabel = "N", description = "Number of events to send (100000).")
    private long records = 100_000;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the counts as JSON.")
    private Path json;

    @Option(
            names = "--ready-file",
            paramLabel = "FILE",
            description = "Write addresses and process ids as JSON after the demonstration.")
    private Path readyFile;

    @Option(
            names = "--port",
            paramLabel = "N",
            description =
                    "Bootstrap port for clients (9092). N+1 is the port of the broker, N-1 of the metrics, if it is free.")
    private int port = 9092;

    @Option(
            names = "--provider",
            paramLabel = "P",
            description = "auto (the best available), shm (shared memory), verbs (an RDMA device) or tcp (RDMA off).")
    private ProviderChoice provider = ProviderChoice.AUTO;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the events (1).")
    private long seed = 1;

    @Option(
            names = "--kafka",
            paramLabel = "DIR",
            description =
                    "Directory of an unpacked Kafka distribution, 4.3 or 4.4. Default: KAFKA_HOME, else the one of the checkout.")
    private Path kafka;

    @Option(
            names = "--jars",
            paramLabel = "DIR",
            description =
                    "Directory of slipstream-proxy.jar and slipstream-broker-plugin.jar. Default: that of this jar, else the"
                            + " checkout.")
    private Path jars;

    @Override
    public Integer call() throws Exception {
        if (records < 1 || records > Integer.MAX_VALUE) {
            return usage("--records must be between 1 and " + Integer.MAX_VALUE);
        }
        if (port < 2 || port + Stage.PORTS > 65_535) {
            return usage("--port must be between 2 and " + (65_535 - Stage.PORTS));
        }
        if (provider == ProviderChoice.VERBS) {
            String obstacle = provider.obstacle();
            if (obstacle != null) {
                System.err.println("slipstream quickstart: " + obstacle);
                return CommandLine.ExitCode.USAGE;
            }
        }
        for (int wanted = port; wanted < port + Stage.PORTS; wanted++) {
            if (!Ports.isFree(wanted)) {
                System.err.println("slipstream quickstart: port " + wanted
                        + " of 127.0.0.1 is in use; choose another one with --port N (N and N+1 must be free)");
                return FAILED;
            }
        }
        if (jars != null) {
            System.setProperty(Checkout.JARS, jars.toString());
        }
        Checkout.requireJars();
        KafkaDistribution distribution = KafkaDistribution.find(kafka);
        try (Stage stage = new Stage(distribution, port, provider, secure, System.out)) {
            OrphanGuard.instance().stopFirst(stage::close);
            stage.start();
            boolean asItShouldBe = stage.demonstrate(records, seed, json);
            if (readyFile != null) {
                stage.writeReadyFile(readyFile);
            }
            if (!once) {
                stage.printInvitation();
                // Waits for a signal; the guard's shutdown hook then closes the stage.
                new CountDownLatch(1).await();
            }
            return asItShouldBe ? 0 : FAILED;
        }
    }

    private static int usage(String message) {
        System.err.println("slipstream quickstart: " + message + "\nSee slipstream quickstart --help");
        return CommandLine.ExitCode.USAGE;
    }
}
