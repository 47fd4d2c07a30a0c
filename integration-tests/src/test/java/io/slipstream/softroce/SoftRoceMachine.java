// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import io.slipstream.it.Tool;
import io.slipstream.process.Checkout;
import io.slipstream.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs commands in a virtual machine with a Soft-RoCE device: {@code integration-tests/softroce/run}. Every run boots a
 * new machine. If the host lacks a prerequisite, the test is skipped with the reason; in continuous integration it
 * fails.
 *
 * <p>Immutable and safe for concurrent use, but each machine uses two cores, so run them one after another.
 */
final class SoftRoceMachine {
    private static final Path SCRIPT = Checkout.root().resolve("integration-tests/softroce/run");
    private static final int MISSING_ON_THE_HOST = 69;
    private static final String CRASHED_EARLY = "crashed before the command began";
    /**
     * Time in addition to the deadline: the first download of a kernel, waiting for other machines, and the shutdown.
     */
    private static final Duration GRACE = Duration.ofMinutes(15);

    private final GuestKernel kernel;
    private final Duration deadline;
    private final int memoryMib;
    private final Map<String, String> environment;

    private SoftRoceMachine(GuestKernel kernel, Duration deadline, int memoryMib, Map<String, String> environment) {
        this.kernel = kernel;
        this.deadline = deadline;
        this.memoryMib = memoryMib;
        this.environment = environment;
    }

    static SoftRoceMachine of(GuestKernel kernel) {
        return new SoftRoceMachine(kernel, Duration.ofMinutes(5), 3072, Map.of());
    }

    /** Sets the time after which the machine ends, including boot. */
    SoftRoceMachine withDeadline(Duration longest) {
        return new SoftRoceMachine(kernel, longest, memoryMib, environment);
    }

    SoftRoceMachine withMemoryMib(int mib) {
        return new SoftRoceMachine(kernel, deadline, mib, environment);
    }

    /** Sets an environment variable of the command, in addition to those of the machine. */
    SoftRoceMachine withEnvironment(String variable, String value) {
        Map<String, String> more = new TreeMap<>(environment);
        more.put(variable, value);
        return new SoftRoceMachine(kernel, deadline, memoryMib, more);
    }

    GuestKernel kernel() {
        return kernel;
    }

    /**
     * Runs the command in a directory of the checkout. Its output (standard output and error) goes to {@code log} as it
     * is written, replacing an older log.
     */
    GuestRun run(List<String> command, Path directory, Path log) throws IOException {
        GuestRun run = runOnce(command, directory, log);
        // An emulated kernel sometimes crashes at boot, which says nothing about the command.
        return Files.readString(log).contains(CRASHED_EARLY) ? runOnce(command, directory, log) : run;
    }

    private GuestRun runOnce(List<String> command, Path directory, Path log) throws IOException {
        Files.createDirectories(log.getParent());
        Files.deleteIfExists(log);
        long beganNs = System.nanoTime();
        ChildProcess run = ChildProcess.start("softroce " + kernel, commandLine(command), directory, log);
        int status = run.awaitExit(deadline.plus(GRACE));
        if (status == -1) {
            run.stop();
        }
        GuestRun result = new GuestRun(
                kernel, command, status, log, Duration.ofNanos(System.nanoTime() - beganNs), run.logTail());
        if (status == MISSING_ON_THE_HOST && Files.readString(log).contains("softroce: ")) {
            Tool.unavailable("no Soft-RoCE machine: " + Files.readString(log).strip());
        }
        return result;
    }

    private List<String> commandLine(List<String> command) {
        List<String> line = new ArrayList<>(List.of(
                SCRIPT.toString(),
                "--kernel",
                kernel.series(),
                "--timeout",
                Long.toString(deadline.toSeconds()),
                "--memory",
                Integer.toString(memoryMib),
                "--"));
        if (!environment.isEmpty()) {
            line.add("env");
            environment.forEach((variable, value) -> line.add(variable + "=" + value));
        }
        line.addAll(command);
        return line;
    }
}
