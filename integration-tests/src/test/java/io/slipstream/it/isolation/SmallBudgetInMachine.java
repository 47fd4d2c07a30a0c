// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.Alteration;
import io.slipstream.harness.PluginCounts;
import io.slipstream.it.Thorough;
import io.slipstream.it.fault.VerbsBroker;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The budget of registered bytes is smaller than the demand, over a kernel's RDMA device that pins what is registered.
 * {@code SoftRoceVerbsIT} runs it inside the Soft-RoCE machine; its name excludes it from other runs.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SmallBudgetInMachine {
    private static final String KEY = "slipstream.registered.bytes";
    private static final int PARTITIONS = 25;
    private static final int RECORDS = 10;
    private static final int VALUE_BYTES = 10_000;
    private static final int PAGE_BYTES = 4096;
    private static final int PASSES = 3;

    @RegisterExtension
    static final VerbsBroker SHARED = new VerbsBroker();

    /** With one topic and one proxy, because all takes long in the machine. */
    @Test
    void shouldServeTheShareThatHasRoomAndPinNothingAfterwards() throws Exception {
        BrokerProcess broker = SHARED.process();
        broker.awaitServing();
        NumberedTopic topic = NumberedTopic.create(broker, "small-budget", PARTITIONS, VALUE_BYTES)
                .append(broker.bootstrapServers(), 0, RECORDS);
        long demandBytes = pinnedBytes(broker, topic);
        try (ProxyProcess proxy = ProxyProcess.builder(broker)
                        .property("event.loops", "1")
                        .start();
                PluginCounts plugin = PluginCounts.of(broker);
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            long usualBytes = plugin.get("SEGMENT_BYTES_LIMIT");
            try (RepeatedReader reader = new RepeatedReader(proxy.bootstrapServers(), topic)) {
                for (int percent : Thorough.drawn(List.of(93, 30))) {
                    long budgetBytes = demandBytes * percent / 100;
                    alter(admin, plugin, Long.toString(budgetBytes), budgetBytes);
                    awaitMoreByRdma(proxy, reader);
                    double allowed = percent / 100.0 * SmallBudgetIT.MOST_OF_BUDGET;
                    SmallBudgetIT.measure(plugin, List.of(proxy), List.of(reader), PASSES, allowed);
                    assertThat(plugin.get("SEGMENT_BYTES")).as("pinned bytes").isBetween(1L, budgetBytes);
                }
                admin.deleteTopics(List.of(topic.name())).all().get(Patience.ms(20_000), TimeUnit.MILLISECONDS);
                await().atMost(Patience.ofSeconds(20)).untilAsserted(() -> {
                    assertThat(plugin.get("SEGMENT_BYTES")).as("pinned bytes").isZero();
                    assertThat(plugin.gauge("Regions")).as("regions").isZero();
                });
            } finally {
                alter(admin, plugin, null, usualBytes);
            }
        }
    }

    private static void awaitMoreByRdma(ProxyProcess proxy, RepeatedReader reader) {
        long before = PathCounts.in(proxy.metrics()).rdmaFetched();
        await().atMost(Patience.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .alias("records by RDMA")
                .until(() -> {
                    reader.verify();
                    return PathCounts.in(proxy.metrics()).rdmaFetched() > before;
                });
    }

    /** Returns what the readers of all partitions pin together. */
    private static long pinnedBytes(BrokerProcess broker, NumberedTopic topic) throws IOException {
        long bytes = 0;
        for (TopicPartition partition : topic.all()) {
            Path segment = broker.logDirectory().resolve(partition.toString()).resolve("00000000000000000000.log");
            bytes += (Files.size(segment) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        }
        return bytes;
    }

    /** Returns when the plugin has started again with the limit. */
    private static void alter(Admin admin, PluginCounts plugin, String value, long limitBytes) throws Exception {
        Alteration.ofBroker(admin, "1", KEY, value);
        await().atMost(Patience.ofSeconds(20))
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions() // Until the meters are there again.
                .untilAsserted(() ->
                        assertThat(plugin.get("SEGMENT_BYTES_LIMIT")).as(KEY).isEqualTo(limitBytes));
    }
}
