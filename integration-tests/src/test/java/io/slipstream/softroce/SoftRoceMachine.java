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
 * Runs commands in a virtual machine with a Soft-RoCE device: {@code integration-tests/softroce/run}. Every run boots a machine of its
 * own. Where the host lacks what the machine needs, the test is skipped with the reason; in continuous integration it fails.
 *
 * <p>Immutable; safe from any thread, but machines are better run one after another, each of them keeps two cores busy.
 */
final class SoftRoceMachine {
    private static final Path SCRIPT = Checkout.root().resolve("integration-tests/softroce/run");
    private static final int MISSING_ON_THE_HOST = 69;
    private static final String CRASHED_EARLY = "crashed before the command began";
    /** What comes on top of the deadline: fetching a kernel, the first time, waiting while others run machines, and ending. */
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

    /** The machine is ended, booting included, when this time is over. */
    SoftRoceMachine withDeadline(Duration longest) {
        return new SoftRoceMachine(kernel, longest, memoryMib, environment);
    }

    SoftRoceMachine withMemoryMib(int mib) {
        return new SoftRoceMachine(kernel, deadline, mib, environment);
    }

    /** Of the command, in addition to what the machine sets. */
    SoftRoceMachine withEnvironment(String variable, String value) {
        Map<String, String> more = new TreeMap<>(environment);
        more.put(variable, value);
        return new SoftRoceMachine(kernel, deadline, memoryMib, more);
    }

    GuestKernel kernel() {
        return kernel;
    }

    /**
     * Runs the command to its end, in a directory of the checkout. Its output (standard output and error) is in {@code log} as soon as
     * it is written; an older log is replaced.
     */
    GuestRun run(List<String> command, Path directory, Path log) throws IOException {
        GuestRun run = runOnce(command, directory, log);
        // An emulated kernel crashes now and then while it boots; that says nothing of what was to be run.
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
