// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a broker with the plugin leaves in its directory: control socket, log output and segments. */
final class PluginBroker {
    private static final Duration PATIENCE = Patience.ofSeconds(20);

    private PluginBroker() {}

    /** Starts the broker with the plugin, and returns when the plugin serves or is inert. */
    static BrokerProcess start(BrokerProcess.Builder settings) {
        BrokerProcess broker = settings.withAgent().start();
        // The broker answers earlier. The plugin starts, or says why it does not, before this line.
        if (!Deadline.after(PATIENCE).await(() -> log(broker).contains("Kafka Server started"))) {
            String log = broker.logTail();
            broker.close();
            throw new IllegalStateException("the broker has not started" + log);
        }
        return broker;
    }

    static String log(BrokerProcess broker) {
        try {
            return Files.readString(broker.log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the plugin's log lines that say that it is inert. */
    static List<String> inertLines(BrokerProcess broker) {
        return log(broker)
                .lines()
                .filter(text -> text.contains("Slipstream is inert"))
                .toList();
    }

    /** Returns the names of the broker's threads, cut to 15 characters by the kernel. */
    static List<String> threads(BrokerProcess broker) throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(broker.pid()), "task"))) {
            for (Path task : tasks.toList()) {
                try {
                    names.add(Files.readString(task.resolve("comm")).strip());
                } catch (IOException e) {
                    // The thread ended after it was listed.
                }
            }
        }
        return names;
    }

    /** Returns the segment files of a topic's only partition, oldest first. */
    static List<Path> segments(BrokerProcess broker, String topic) throws IOException {
        try (Stream<Path> files = Files.list(broker.logDirectory().resolve(topic + "-0"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }
}
