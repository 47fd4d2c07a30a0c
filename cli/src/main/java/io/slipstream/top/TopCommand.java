// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slipstream top}. Exit status: 0; 1 if nothing answers at the start; 2 for wrong usage. */
@Command(
        name = "top",
        sortOptions = false,
        description = {
            "Shows the current activity of a proxy: clients, partitions, latencies, and the reasons for fallbacks to TCP.",
            "With --brokers, shows the replication of brokers: partitions, lag and fallbacks to TCP, by follower and leader.",
            "",
            "In a terminal the view fills the screen. Keys: q quits, s changes the sort key, r reverses the order, p pauses.",
            "Otherwise the views are written one below the other."
        })
public final class TopCommand implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final double LEAST_INTERVAL_S = 0.2;
    private static final int PLAIN_WIDTH = 140;
    private static final int PLAIN_HEIGHT = 1000;

    @Option(
            names = "--url",
            defaultValue = "http://127.0.0.1:9091",
            description = "The proxy's management port (${DEFAULT-VALUE}).")
    private String url;

    @Option(
            names = "--brokers",
            paramLabel = "URL",
            split = ",",
            description = "Metrics ports of brokers (slipstream.metrics.address): shows their replication instead.")
    private List<String> brokers = List.of();

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "Time between two views (2).")
    private double intervalSeconds;

    @Option(names = "--once", description = "Print one view of one interval and exit.")
    private boolean once;

    @Option(names = "--json", description = "Print each view as one line of JSON.")
    private boolean json;

    @Option(
            names = {"-n", "--rows"},
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "Maximum number of clients, of partitions and of leaders in a view (20); in a terminal also limited by its height.")
    private int rows;

    @Option(
            names = "--sort",
            paramLabel = "BY",
            defaultValue = "requests",
            description = "requests (default), bytes, latency, tcp (highest TCP share first) or name.")
    private Order order;

    private final ObjectMapper mapper = new ObjectMapper();
    private boolean reversed;

    @Override
    public Integer call() throws InterruptedException {
        if (!(intervalSeconds >= LEAST_INTERVAL_S) || intervalSeconds > 3600 || rows < 0) {
            System.err.println("slipstream top: --interval must be from 0.2 to 3600, --rows must not be negative");
            return WRONG_USAGE;
        }
        ViewSource source;
        try {
            source = brokers.isEmpty() ? new ProxySource(url) : new ReplicationSource(brokers);
            source.next();
        } catch (IllegalArgumentException e) {
            System.err.println("slipstream top: " + (brokers.isEmpty() ? "--url: " : "--brokers: ") + e.getMessage());
            return WRONG_USAGE;
        } catch (IOException e) {
            System.err.println("slipstream top: " + e.getMessage());
            return FAILED;
        }
        try (Terminal terminal = once || json ? null : Terminal.open()) {
            if (terminal == null) {
                return write(source);
            }
            live(terminal, source);
            return 0;
        }
    }

    /** Writes one view after another until the reader closes the output. */
    private int write(ViewSource source) throws InterruptedException {
        do {
            TimeUnit.MILLISECONDS.sleep(intervalMs());
            try {
                ViewSource.View view = source.next();
                print(json ? mapper.writeValueAsString(view) : plain(view));
            } catch (IOException | IllegalArgumentException e) {
                System.err.println("slipstream top: " + e.getMessage());
                return FAILED;
            }
        } while (!once && !System.out.checkError());
        return 0;
    }

    private static void print(String text) {
        byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        System.out.flush();
    }

    private String plain(ViewSource.View view) {
        int width = Terminal.variable("COLUMNS", PLAIN_WIDTH);
        StringBuilder text = new StringBuilder();
        for (StyledLine line : view.lines(new TopScreen(width, PLAIN_HEIGHT, rows, order, reversed))) {
            text.append(line.render(width, false)).append('\n');
        }
        return text.toString();
    }

    private void live(Terminal terminal, ViewSource source) throws InterruptedException {
        ViewSource.View view = null;
        String trouble = "";
        boolean paused = false;
        long nextNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(intervalMs());
        show(terminal, null, "the first view comes after " + intervalMs() + " ms", false);
        while (true) {
            int key = terminal.key(paused ? intervalMs() : TimeUnit.NANOSECONDS.toMillis(nextNs - System.nanoTime()));
            switch (key) {
                case 'q', 'Q' -> {
                    return;
                }
                case 's', 'S' -> order = order.next();
                case 'r', 'R' -> reversed = !reversed;
                case 'p', 'P', ' ' -> paused = !paused;
                default -> {
                    // Any other key redraws.
                }
            }
            if (!paused && System.nanoTime() - nextNs >= 0) {
                nextNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(intervalMs());
                try {
                    view = source.next();
                    trouble = "";
                } catch (IOException | IllegalArgumentException e) {
                    // The proxy or the brokers may come back.
                    trouble = e.getMessage();
                }
            }
            show(terminal, view, trouble, paused);
        }
    }

    private void show(Terminal terminal, ViewSource.View view, String trouble, boolean paused) {
        int width = terminal.width();
        int height = terminal.height();
        List<StyledLine> lines = new ArrayList<>();
        if (view != null) {
            lines.addAll(view.lines(new TopScreen(width, height - 2, rows, order, reversed)));
        }
        StyledLine footer = new StyledLine()
                .add("q", Style.BOLD)
                .add(" quit  ")
                .add("s", Style.BOLD)
                .add(" sort: " + order.name().toLowerCase(Locale.ROOT) + (reversed ? ", reversed" : "") + "  ")
                .add("r", Style.BOLD)
                .add(" reverse  ")
                .add("p", Style.BOLD)
                .add(paused ? " resume, paused" : " pause");
        List<String> screen = new ArrayList<>();
        for (StyledLine line : lines.subList(0, Math.max(0, Math.min(lines.size(), height - 2)))) {
            screen.add(line.render(width, true));
        }
        screen.add(new StyledLine().add(trouble, Style.BAD).render(width, true));
        screen.add(footer.render(width, true));
        terminal.show(screen);
    }

    private long intervalMs() {
        return Math.round(intervalSeconds * 1000);
    }
}
