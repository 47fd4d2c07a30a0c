// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A child process that writes its output to a file and does not outlive this JVM. Safe for concurrent use. */
public final class ChildProcess {
    private static final int TAIL_BYTES = 6_000;
    private static final int MOST_ERRORS = 20;
    private static final Pattern ERROR = Pattern.compile("\\b(ERROR|FATAL)\\b|Exception|Caused by|rror: ");
    private static final Duration STOP_PATIENCE = Patience.ofSeconds(60);

    private final String name;
    private final Process process;
    private final Path log;

    private ChildProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /** Starts the command. Its standard output and standard error are appended to {@code log}. */
    public static ChildProcess start(String name, List<String> command, Path directory, Path log) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        // The caller's environment may contain proxy keys; the child uses only those in its configuration file.
        builder.environment().keySet().removeIf(variable -> variable.startsWith("SLIPSTREAM_"));
        try {
            Process process = builder.start();
            OrphanGuard.instance().add(process);
            return new ChildProcess(name, process, log);
        } catch (IOException e) {
            throw new StartFailure("cannot start " + name + ": " + e.getMessage(), e);
        }
    }

    /** Returns the path of the java command of the running JVM. */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits until the process serves.
     *
     * @throws StartFailure with the end of the log if the process exits or does not serve in time
     */
    void awaitReady(BooleanSupplier serves, Duration patience) {
        Deadline deadline = Deadline.after(patience);
        boolean decided = deadline.await(() -> !process.isAlive() || serves.getAsBoolean());
        if (!process.isAlive()) {
            throw new StartFailure(
                    name + " exited with status " + process.exitValue() + " while starting" + errors() + logTail());
        }
        if (!decided) {
            throw new StartFailure(name + " does not serve after " + patience.toSeconds() + " s" + logTail());
        }
    }

    /** Waits for the exit and returns its status, or -1 if the process still runs after {@code patience}. */
    public int awaitExit(Duration patience) {
        try {
            return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS) ? process.exitValue() : -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    /** Sends SIGTERM and does not wait. */
    void terminate() {
        process.destroy();
    }

    /** Sends SIGTERM, then SIGKILL if the process does not exit in time. Idempotent. */
    public void stop() {
        process.destroy();
        if (awaitExit(STOP_PATIENCE) == -1 && process.isAlive()) {
            kill9();
        }
    }

    /** Sends SIGKILL and returns when the process has exited. */
    public void kill9() {
        process.destroyForcibly();
        awaitExit(STOP_PATIENCE);
    }

    public Path log() {
        return log;
    }

    boolean hasLogged(String text) {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.contains(text));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + log, e);
        }
    }

    /** Returns the last errors in the log: a broker that stops writes more than {@link #logTail} after its cause. */
    private String errors() {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            List<String> errors =
                    lines.filter(line -> ERROR.matcher(line).find()).toList();
            return errors.isEmpty()
                    ? ""
                    : "; errors in its log:\n"
                            + String.join("\n", errors.subList(Math.max(0, errors.size() - MOST_ERRORS), errors.size()))
                            + "\n";
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + log, e);
        }
    }

    /** Returns the path and the last lines of the log, as the end of an error message. */
    public String logTail() {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long from = Math.max(0, file.length() - TAIL_BYTES);
            byte[] tail = new byte[(int) (file.length() - from)];
            file.seek(from);
            file.readFully(tail);
            return "; end of " + log + ":\n" + new String(tail, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + log, e);
        }
    }
}
