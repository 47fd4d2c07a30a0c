// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import io.slipstream.process.Patience;
import io.slipstream.process.StartFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** {@link PeerMain} in a JVM with the same flags as this one. A peer that misses a deadline is killed. */
final class PeerProcess implements AutoCloseable {
    private static final long PATIENCE_S = Patience.ofSeconds(20).toSeconds();

    private final Process process;
    private final BufferedReader output;
    private final PrintStream input;
    private final ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "peer-watchdog");
        thread.setDaemon(true);
        return thread;
    });

    private PeerProcess(Process process) {
        this.process = process;
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        input = new PrintStream(process.getOutputStream(), true, StandardCharsets.US_ASCII);
    }

    /** @param arguments arguments of {@link PeerMain} */
    static PeerProcess start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Argument files and debugger agents are not supported here.
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PeerMain.class.getName()));
        command.addAll(arguments);
        return new PeerProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Returns the peer's address. */
    String address() throws IOException {
        return await(PeerMain.LISTENING).substring(PeerMain.LISTENING.length());
    }

    /** Returns when the peer is connected and has exported its region. */
    void awaitConnected() throws IOException {
        await(PeerMain.READY);
    }

    /** Returns when the peer polls. */
    void begin(Experiment experiment, int operations) throws IOException {
        input.println(experiment.name() + ' ' + operations);
        await(PeerMain.READY);
    }

    void awaitDone() throws IOException {
        await(PeerMain.DONE);
    }

    private String await(String prefix) throws IOException {
        Future<?> end = watchdog.schedule(process::destroyForcibly, PATIENCE_S, TimeUnit.SECONDS);
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(prefix)) {
                    return line;
                }
                System.err.println("peer: " + line);
            }
        } finally {
            end.cancel(false);
        }
        throw new StartFailure("the peer process ended, or was ended after " + PATIENCE_S + " s, before it said '"
                + prefix.strip() + "'; its messages are above");
    }

    @Override
    public void close() {
        input.close();
        try {
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        watchdog.shutdownNow();
    }
}
