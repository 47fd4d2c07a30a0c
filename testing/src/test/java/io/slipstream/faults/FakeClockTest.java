// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Tool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FakeClockTest {
    private static final int PATIENCE_S = 50;
    private static final long HOUR_S = 3_600;
    private static final long TOLERANCE_MS = 30_000;

    @TempDir
    private Path directory;

    @Test
    void shouldMoveTheWallClockOfARunningProcessAndNothingElse() throws Exception {
        FakeClock.obstacle().ifPresent(Tool::unavailable);
        FakeClock clock = new FakeClock(directory);
        ProcessBuilder child = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Answers.class.getName());
        clock.environment().forEach(variable -> {
            String[] words = variable.split("=", 2);
            child.environment().put(words[0], words[1]);
        });
        Process process = child.start();
        // Its answers end with it, so the wait for a line is bounded.
        CompletableFuture.runAsync(
                process::destroyForcibly, CompletableFuture.delayedExecutor(PATIENCE_S, TimeUnit.SECONDS));
        try (PrintStream questions = new PrintStream(process.getOutputStream(), true, StandardCharsets.US_ASCII);
                BufferedReader answers = process.inputReader(StandardCharsets.US_ASCII)) {
            assertThat(ahead(questions, answers)).isBetween(-TOLERANCE_MS, TOLERANCE_MS);
            long monotonicNs = monotonicNs(questions, answers);

            clock.jump(HOUR_S);
            assertThat(ahead(questions, answers))
                    .isBetween(HOUR_S * 1_000 - TOLERANCE_MS, HOUR_S * 1_000 + TOLERANCE_MS);
            clock.jump(-HOUR_S);
            assertThat(ahead(questions, answers))
                    .isBetween(-HOUR_S * 1_000 - TOLERANCE_MS, -HOUR_S * 1_000 + TOLERANCE_MS);

            assertThat(monotonicNs(questions, answers) - monotonicNs)
                    .isBetween(0L, TimeUnit.MILLISECONDS.toNanos(TOLERANCE_MS));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Returns the milliseconds by which the process is ahead. */
    private static long ahead(PrintStream questions, BufferedReader answers) throws IOException {
        questions.println("wall");
        return Long.parseLong(answers.readLine()) - System.currentTimeMillis();
    }

    private static long monotonicNs(PrintStream questions, BufferedReader answers) throws IOException {
        questions.println("monotonic");
        return Long.parseLong(answers.readLine());
    }

    /** Prints its clocks, one line per question. */
    static final class Answers {
        private Answers() {}

        public static void main(String[] arguments) {
            Scanner questions = new Scanner(System.in, StandardCharsets.US_ASCII);
            while (questions.hasNextLine()) {
                String question = questions.nextLine();
                System.out.println(question.equals("wall") ? System.currentTimeMillis() : System.nanoTime());
            }
        }
    }
}
