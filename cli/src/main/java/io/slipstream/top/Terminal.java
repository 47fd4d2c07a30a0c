// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The terminal of this process: alternate screen, hidden cursor, keys without Enter. {@link #close} and the end of the
 * process, including Ctrl-C, restore it. {@code stty} sets the modes and reports the size. Without {@code stty}, keys
 * need Enter and the size comes from COLUMNS and LINES.
 */
final class Terminal implements AutoCloseable {
    private static final String ENTER = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_SCREEN = "\u001b[J";
    private static final int DEFAULT_WIDTH = 80;
    private static final int DEFAULT_HEIGHT = 24;
    private static final long STTY_MS = 2000;

    private final String savedModes;
    private final BlockingQueue<Integer> keys = new ArrayBlockingQueue<>(64);
    private final AtomicBoolean left = new AtomicBoolean();

    private Terminal() {
        savedModes = stty("-g");
        Runtime.getRuntime().addShutdownHook(new Thread(this::leave, "top-restore"));
        stty("-icanon", "-echo", "min", "1");
        write(ENTER);
        Thread reader = new Thread(this::read, "top-keys");
        reader.setDaemon(true);
        reader.start();
    }

    /** Returns null if standard input or output is not a terminal. */
    static Terminal open() {
        return run("test", "-t", "0") != null && isTerminal() ? new Terminal() : null;
    }

    /** Returns whether standard output is a terminal. */
    private static boolean isTerminal() {
        try {
            Process test = new ProcessBuilder("test", "-t", "1").inheritIO().start();
            return test.waitFor(STTY_MS, TimeUnit.MILLISECONDS) && test.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void read() {
        try {
            for (int key = System.in.read(); key >= 0; key = System.in.read()) {
                keys.offer(key);
            }
        } catch (IOException e) {
            // End of input: no more keys.
        }
    }

    /** Returns the next key pressed, or -1 after the timeout. */
    int key(long timeoutMs) throws InterruptedException {
        Integer key = keys.poll(Math.max(0, timeoutMs), TimeUnit.MILLISECONDS);
        return key == null ? -1 : key;
    }

    int width() {
        return size()[1];
    }

    int height() {
        return size()[0];
    }

    /** Returns the current rows and columns. */
    private static int[] size() {
        String answer = stty("size");
        if (answer != null && answer.matches("\\d{1,5} \\d{1,5}") && !answer.startsWith("0 ")) {
            String[] parts = answer.split(" ");
            return new int[] {Integer.parseInt(parts[0]), Integer.parseInt(parts[1])};
        }
        return new int[] {variable("LINES", DEFAULT_HEIGHT), variable("COLUMNS", DEFAULT_WIDTH)};
    }

    static int variable(String name, int otherwise) {
        String value = System.getenv(name);
        return value != null && value.matches("[1-9]\\d{0,4}") ? Integer.parseInt(value) : otherwise;
    }

    /** Replaces the whole screen with these lines. */
    void show(List<String> lines) {
        StringBuilder screen = new StringBuilder(HOME);
        for (int i = 0; i < lines.size(); i++) {
            screen.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append(REST_OF_LINE);
        }
        write(screen.append(REST_OF_SCREEN).toString());
    }

    private static void write(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        System.out.flush();
    }

    @Override
    public void close() {
        leave();
    }

    private void leave() {
        if (left.compareAndSet(false, true)) {
            write(LEAVE);
            if (savedModes != null) {
                stty(savedModes);
            }
        }
    }

    private static String stty(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = "stty";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return run(command);
    }

    /** Returns the output of a command run on this terminal, or null if it fails. */
    private static String run(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (InputStream output = process.getInputStream()) {
                String said = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
                return process.waitFor(STTY_MS, TimeUnit.MILLISECONDS) && process.exitValue() == 0 ? said : null;
            }
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
