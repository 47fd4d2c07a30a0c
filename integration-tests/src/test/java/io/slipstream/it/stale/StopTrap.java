package io.slipstream.it.stale;

import io.slipstream.harness.Deadline;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Stops a process while it copies a batch into a segment: watches the place where the next one will lie, and sends SIGSTOP when its first bytes appear there. Whether the copy was caught is seen
 * afterwards in the file. Another program watches and sends, since Java has no signals and a program that has to be started or told comes too late. Not safe for concurrent use.
 */
final class StopTrap implements AutoCloseable {
    private static final String WATCHER = """
            import os, signal, sys, time
            pid = int(sys.argv[1])
            for line in sys.stdin:
                words = line.split(" ", 4)
                if words[0] != "watch":
                    os.kill(pid, signal.SIGSTOP if words[0] == "stop\\n" else signal.SIGCONT)
                    print("done", flush=True)
                    continue
                position, delay, end = int(words[1]), int(words[2]), time.monotonic_ns() + int(words[3])
                file = os.open(words[4][:-1], os.O_RDONLY)
                said = "late" if os.pread(file, 1, position) not in (b"", b"\\0") else "over"
                while said == "over" and time.monotonic_ns() < end:
                    if os.pread(file, 1, position) not in (b"", b"\\0"):
                        begun = time.monotonic_ns()
                        while time.monotonic_ns() < begun + delay:
                            pass
                        os.kill(pid, signal.SIGSTOP)
                        said = "stopped"
                os.close(file)
                print(said, flush=True)
            """;
    private static final int MOST_SKIPPED = 2;
    private static final int MOST_DELAY_NS = 200_000;
    /** Then there is perhaps another segment. */
    private static final long WATCH_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);

    private final long pid;
    private final Random random;
    private final Process watcher;
    private final Writer commands;
    private final BufferedReader answers;
    private int attempts;

    StopTrap(long pid, Random random) throws IOException {
        this.pid = pid;
        this.random = random;
        watcher = new ProcessBuilder("python3", "-c", WATCHER, Long.toString(pid))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        commands = new OutputStreamWriter(watcher.getOutputStream(), StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(watcher.getInputStream(), StandardCharsets.UTF_8));
    }

    /** How often the process was stopped so far. */
    int attempts() {
        return attempts;
    }

    /**
     * A stop.
     *
     * @param segment in which the next batch was to lie
     * @param position where
     * @param inside whether the batch was begun and is not complete
     */
    record Stop(Path segment, long position, boolean inside) {}

    /**
     * Returns with the process stopped; a stop between two copies is given up for another one until the deadline.
     *
     * @param batchBytes of each batch that is placed
     */
    Stop spring(Path partition, int batchBytes, Deadline deadline) {
        int skips = random.nextInt(MOST_SKIPPED);
        while (true) {
            try (SegmentTail tail = SegmentTail.of(partition)) {
                long position = tail.committedEnd();
                boolean over = deadline.isOver();
                if (over) {
                    stop();
                } else if (!isStoppedAt(tail, position) || skips-- > 0) {
                    resume();
                    continue;
                }
                boolean inside = tail.isTorn(position, batchBytes);
                if (inside || over) {
                    return new Stop(tail.path(), position, inside);
                }
                resume();
            }
        }
    }

    /** Whether the process was stopped after it had begun to write there. */
    private boolean isStoppedAt(SegmentTail tail, long position) {
        int delayNs = random.nextInt(MOST_DELAY_NS);
        String watch = "watch " + tail.magicPosition(position) + " " + delayNs + " " + WATCH_NS + " " + tail.path();
        boolean stopped = command(watch).equals("stopped");
        if (stopped) {
            attempts++;
            awaitStopped();
        }
        return stopped;
    }

    /** Returns when each thread of the process has stopped. */
    void stop() {
        attempts++;
        command("stop");
        awaitStopped();
    }

    void resume() {
        command("continue");
    }

    private void awaitStopped() {
        if (!Deadline.after(STOP_PATIENCE).await(this::isStopped)) {
            throw new IllegalStateException("process " + pid + " does not stop");
        }
    }

    private String command(String words) {
        try {
            commands.write(words + "\n");
            commands.flush();
            String answer = answers.readLine();
            if (answer == null) {
                throw new IllegalStateException("who watches and sends signals ended");
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot " + words, e);
        }
    }

    private boolean isStopped() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.allMatch(StopTrap::isThreadStopped);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at process " + pid, e);
        }
    }

    private static boolean isThreadStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            // The name before the state may hold anything.
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (NoSuchFileException ended) {
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at " + thread, e);
        }
    }

    @Override
    public void close() {
        watcher.destroy();
    }
}
