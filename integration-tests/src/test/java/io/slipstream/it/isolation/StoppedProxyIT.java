// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.Signals;
import io.slipstream.harness.PluginCounts;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy is stopped by SIGSTOP while its clients read. The broker neither waits for it nor keeps anything for it. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class StoppedProxyIT {
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 100;
    /** 6 segments of the least size in each partition. */
    private static final int VALUE_BYTES = 60_000;

    private static final int LEASE_MS = 1_000;
    private static final int DELETION_MS = 500;
    /** The broker waits for the plugin for at most 1 s; the agent costs some time as well. */
    private static final long STOP_MS = 2_000;
    /** For a busy machine. */
    private static final int SLACK_MS = 1_000;

    private static BrokerProcess.Builder broker() {
        return BrokerProcess.builder(BrokerLine.NEWEST)
                .property("slipstream.lease.ms", Integer.toString(LEASE_MS))
                .property("log.initial.task.delay.ms", "100")
                .property("log.retention.check.interval.ms", "200")
                .property("log.segment.delete.delay.ms", Integer.toString(DELETION_MS));
    }

    private static NumberedTopic topic(BrokerProcess broker, String name) throws Exception {
        return NumberedTopic.create(broker, name, PARTITIONS, VALUE_BYTES, "segment.bytes", "1048576")
                .append(broker.bootstrapServers(), 0, RECORDS);
    }

    private static void awaitReads(ProxyProcess proxy, RepeatedReader reader) {
        reader.awaitPasses(1);
        boolean byRdma = Deadline.after(Patience.ofSeconds(30)).await(() -> fetches(proxy) > 100);
        assertThat(byRdma).as("Fetches by RDMA: %d", fetches(proxy)).isTrue();
    }

    private static long fetches(ProxyProcess proxy) {
        return proxy.metrics().count("slipstream_requests_total", "api", "FETCH", "path", "rdma");
    }

    @Test
    void shouldLetTheBrokerStopInTime() throws Exception {
        long stockMs = stopMs(broker(), false);
        long ourMs = stopMs(broker().withAgent(), true);
        if (ourMs > stockMs + STOP_MS) {
            // A busy machine costs a broker a second now and then, but not twice.
            ourMs = stopMs(broker().withAgent(), true);
        }
        System.out.printf("the broker stops in %d ms, a stock one in %d ms%n", ourMs, stockMs);
        assertThat(ourMs).as("ms until the broker has ended").isLessThanOrEqualTo(stockMs + STOP_MS);
    }

    private static long stopMs(BrokerProcess.Builder settings, boolean rdma) throws Exception {
        try (BrokerProcess broker = settings.start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start();
                RepeatedReader reader = new RepeatedReader(proxy.bootstrapServers(), topic(broker, "read"))) {
            if (rdma) {
                awaitReads(proxy, reader);
            } else {
                reader.awaitPasses(1);
            }
            Signals.stop(proxy.pid());
            try {
                long startNs = System.nanoTime();
                broker.stop();
                assertThat(Files.readString(broker.log())).contains("[BrokerServer id=1] shut down completed");
                return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            } finally {
                Signals.resume(proxy.pid());
            }
        }
    }

    @Test
    void shouldKeepNoDeletedSegmentForAProxy() throws Exception {
        try (BrokerProcess broker = broker().withAgent().start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start();
                PluginCounts plugin = PluginCounts.of(broker);
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            NumberedTopic shortened = topic(broker, "shortened");
            NumberedTopic deleted = topic(broker, "deleted");
            try (RepeatedReader reader = new RepeatedReader(proxy.bootstrapServers(), shortened)) {
                try (RepeatedReader another = new RepeatedReader(proxy.bootstrapServers(), deleted)) {
                    awaitReads(proxy, reader);
                    another.awaitPasses(1);
                    Signals.stop(proxy.pid());
                    try {
                        long regions = plugin.gauge("Regions");
                        long startNs = System.nanoTime();
                        shorten(admin, shortened);
                        admin.deleteTopics(List.of(deleted.name())).all().get(20, TimeUnit.SECONDS);
                        awaitDeletion(broker, shortened);
                        long deletedNs = System.nanoTime();
                        awaitNone(broker.pid(), broker.logDirectory(), LEASE_MS + DELETION_MS + SLACK_MS);
                        long freeNs = System.nanoTime();
                        // Unless the proxy was stopped inside a READ, which keeps the regions charged.
                        Deadline.after(Duration.ofMillis(Patience.ms(2 * LEASE_MS)))
                                .await(() -> plugin.gauge("Regions") <= PARTITIONS);
                        System.out.printf(
                                "files are gone after %d ms, the broker's descriptors and mappings after %d ms more;"
                                        + " the stopped proxy holds %d; regions: %d, then %d%n",
                                TimeUnit.NANOSECONDS.toMillis(deletedNs - startNs),
                                TimeUnit.NANOSECONDS.toMillis(freeNs - deletedNs),
                                HeldFiles.deleted(proxy.pid(), broker.logDirectory())
                                        .size(),
                                regions,
                                plugin.gauge("Regions"));
                    } finally {
                        Signals.resume(proxy.pid());
                    }
                    awaitNone(proxy.pid(), broker.logDirectory(), LEASE_MS + SLACK_MS);
                }
                long before = fetches(proxy);
                reader.awaitPasses(2);
                assertThat(fetches(proxy)).as("Fetches by RDMA").isGreaterThan(before);
            }
            assertThat(Deadline.after(Patience.ofSeconds(20))
                            .await(() -> plugin.gauge("Regions") == 0 && plugin.gauge("SegmentBytes") == 0))
                    .as("%d regions and %d bytes are charged", plugin.gauge("Regions"), plugin.gauge("SegmentBytes"))
                    .isTrue();
        }
    }

    /** Leaves the last of several segments of each partition. */
    private static void shorten(Admin admin, NumberedTopic topic) throws Exception {
        Map<TopicPartition, RecordsToDelete> ends = new HashMap<>();
        topic.all().forEach(partition -> ends.put(partition, RecordsToDelete.beforeOffset(RECORDS - 2)));
        admin.deleteRecords(ends).all().get(20, TimeUnit.SECONDS);
    }

    private static void awaitDeletion(BrokerProcess broker, NumberedTopic shortened) {
        boolean gone = Deadline.after(Patience.ofSeconds(30)).await(() -> {
            List<String> files = files(broker.logDirectory());
            return files.stream().noneMatch(file -> file.contains("deleted"))
                    && files.stream()
                                    .filter(file -> file.contains(shortened.name()) && file.endsWith(".log"))
                                    .count()
                            == PARTITIONS;
        });
        assertThat(gone).as("left: %s", files(broker.logDirectory())).isTrue();
    }

    private static List<String> files(Path directory) {
        try (Stream<Path> files = Files.find(directory, 2, (file, attributes) -> attributes.isRegularFile())) {
            return files.map(Path::toString).toList();
        } catch (UncheckedIOException | IOException deletedMeanwhile) {
            return List.of("deleted meanwhile");
        }
    }

    private static void awaitNone(long pid, Path directory, int withinMs) throws IOException {
        Deadline deadline = Deadline.after(Duration.ofMillis(Patience.ms(withinMs)));
        List<String> held = HeldFiles.deleted(pid, directory);
        while (!held.isEmpty() && !deadline.isOver()) {
            held = HeldFiles.deleted(pid, directory);
        }
        assertThat(held).as("deleted files that the process holds").isEmpty();
    }
}
