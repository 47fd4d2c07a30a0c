// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import io.slipstream.process.ChildProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.Ports;
import io.slipstream.process.StartFailure;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * perftest's latency programs, each with a server and a measuring client. They exchange addresses over TCP on loopback
 * ({@code -x}, not {@code -R}), because a server that waits through {@code rdma_cm} uses a CPU meanwhile, unlike ours.
 */
final class Perftest implements AutoCloseable {
    private static final Duration PATIENCE = Patience.ofSeconds(15);
    /** State code of a listening socket in the socket tables. */
    private static final String LISTEN = " 0A ";
    /** Bytes, iterations, min, max, typical, average, deviation, 99 %, 99.9 %. */
    private static final Pattern RESULT =
            Pattern.compile("^\\s*\\d+\\s+\\d+((?:\\s+-?[0-9.a-z]+){7})\\s*$", Pattern.MULTILINE);

    private static final int TYPICAL = 2;
    private static final int PERCENTILE_99 = 5;

    private final RdmaPort port;
    private final Processor client;
    private final Processor server;
    private final TempDirectory directory = TempDirectory.create("ss-perftest");
    private int runs;

    Perftest(RdmaPort port, Processor client, Processor server) {
        this.port = port;
        this.client = client;
        this.server = server;
    }

    /**
     * Returns the version that the programs report.
     *
     * @throws StartFailure if they are not installed
     */
    String version() throws IOException {
        ChildProcess process = start(List.of("ib_write_lat", "--version"), "version");
        process.awaitExit(PATIENCE);
        return Files.readString(process.log()).strip().replaceFirst("^[Vv]ersion:? *", "");
    }

    /** @param iterations as many as ours */
    Latency measure(Experiment experiment, int iterations) throws IOException {
        int tcpPort = Ports.freeRange(1);
        List<String> command = new ArrayList<>(experiment.perftest());
        command.addAll(List.of("-d", port.device(), "-i", Integer.toString(port.number())));
        if (port.gidIndex() >= 0) {
            command.addAll(List.of("-x", Integer.toString(port.gidIndex())));
        }
        command.addAll(List.of("-n", Integer.toString(iterations), "-F", "-p", Integer.toString(tcpPort)));
        ChildProcess serving = start(server.running(command), "server");
        try {
            boolean decided = Deadline.after(PATIENCE).await(() -> !serving.isAlive() || listens(tcpPort));
            if (!decided || !serving.isAlive()) {
                throw new StartFailure(String.join(" ", command) + " does not serve" + serving.logTail());
            }
            command.add("127.0.0.1");
            return client(client.running(command));
        } finally {
            serving.kill9();
        }
    }

    private Latency client(List<String> command) throws IOException {
        ChildProcess measuring = start(command, "client");
        int status = measuring.awaitExit(PATIENCE);
        if (status != 0) {
            measuring.kill9();
            throw new StartFailure(String.join(" ", command)
                    + (status == -1 ? " did not end in time" : " ended with status " + status)
                    + measuring.logTail());
        }
        return parse(Files.readString(measuring.log()));
    }

    private ChildProcess start(List<String> command, String role) {
        Path log = directory.path().resolve(role + '-' + ++runs + ".log");
        return ChildProcess.start("perftest's " + role, command, directory.path(), log);
    }

    private static boolean listens(int tcpPort) {
        String local = String.format(":%04X ", tcpPort);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            try (var sockets = Files.lines(Path.of(table))) {
                if (sockets.anyMatch(line -> line.contains(local) && line.contains(LISTEN))) {
                    return true;
                }
            } catch (IOException e) {
                // IPv6 is unavailable.
            }
        }
        return false;
    }

    /**
     * Parses a client's output.
     *
     * @throws StartFailure without a result line
     */
    static Latency parse(String output) {
        Matcher result = RESULT.matcher(output);
        if (!result.find()) {
            throw new StartFailure("perftest printed no result:\n" + output);
        }
        String[] columns = result.group(1).strip().split("\\s+");
        return new Latency(Double.parseDouble(columns[TYPICAL]), Double.parseDouble(columns[PERCENTILE_99]));
    }

    @Override
    public void close() {
        directory.close();
    }
}
