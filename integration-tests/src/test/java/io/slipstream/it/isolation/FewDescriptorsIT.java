// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.ProcessLimits;
import io.slipstream.faults.schedule.Fault.Resource;
import io.slipstream.harness.PluginCounts;
import io.slipstream.it.Neighbours;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The broker's process has few descriptors to spare. A broker that finds none for its metadata log ends. The plugin
 * leaves them to it: it opens no link, so all traffic takes TCP, or reads by links that it has without taking any.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class FewDescriptorsIT {
    private static final int PARTITIONS = 150;
    private static final int RECORDS = 4;
    private static final int VALUE_BYTES = 1_000;
    /** For clients and a new topic, but not for one descriptor of each partition. */
    private static final int SPARE = 100;

    private BrokerProcess broker;
    private PluginCounts plugin;
    private NumberedTopic topic;

    @BeforeEach
    void start() throws Exception {
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
        plugin = PluginCounts.of(broker);
        topic = NumberedTopic.create(broker, "many", PARTITIONS, VALUE_BYTES)
                .append(broker.bootstrapServers(), 0, RECORDS);
    }

    @AfterEach
    void stop() {
        plugin.close();
        broker.close();
    }

    @Test
    void shouldServeByTcpUntilThereAreMore() throws Exception {
        Runnable restore = leaveSpareDescriptors();
        try (ProxyProcess proxy = ProxyProcess.builder(broker).start();
                Neighbours neighbours = new Neighbours(broker);
                RepeatedReader reader = new RepeatedReader(proxy.bootstrapServers(), topic)) {
            topic.append(proxy.bootstrapServers(), RECORDS, RECORDS);
            reader.awaitPasses(2);
            assertThat(plugin.gauge("DescriptorsOpen")).isGreaterThan(plugin.gauge("DescriptorsLimit"));
            assertThat(proxy.metrics().count("slipstream_links_up")).as("links").isZero();
            assertThat(PathCounts.in(proxy.metrics()).byRdma())
                    .as("records by RDMA")
                    .isZero();
            assertUnharmed();
            neighbours.verify("no descriptors for links", () -> false);

            restore.run();
            awaitReadsByRdma(proxy);
            assertThat(plugin.gauge("DescriptorsOpen")).isLessThan(plugin.gauge("DescriptorsLimit"));
        }
    }

    @Test
    void shouldReadWithoutDescriptorsOfTheBroker() throws Exception {
        NumberedTopic small =
                NumberedTopic.create(broker, "small", 1, VALUE_BYTES).append(broker.bootstrapServers(), 0, RECORDS);
        try (ProxyProcess proxy = ProxyProcess.builder(broker).start();
                Neighbours neighbours = new Neighbours(broker);
                RepeatedReader linked = new RepeatedReader(proxy.bootstrapServers(), small)) {
            awaitReadsByRdma(proxy);
            leaveSpareDescriptors();
            int before = HeldFiles.count(broker.pid());
            try (RepeatedReader reader = new RepeatedReader(proxy.bootstrapServers(), topic)) {
                reader.awaitPasses(1);
                boolean located =
                        Deadline.after(Patience.ofSeconds(30)).await(() -> plugin.gauge("Regions") > 1 + PARTITIONS);
                assertThat(located).as("%d regions", plugin.gauge("Regions")).isTrue();
                reader.awaitPasses(1);
                topic.append(proxy.bootstrapServers(), RECORDS, RECORDS);
                linked.awaitPasses(1);
                int taken = HeldFiles.count(broker.pid()) - before;
                System.out.printf("%d regions, %d more descriptors%n", plugin.gauge("Regions"), taken);
                assertThat(taken)
                        .as("descriptors for clients and %d regions", PARTITIONS)
                        .isLessThan(SPARE / 2);
                assertUnharmed();
                neighbours.verify("reading without descriptors", () -> false);
            }
        }
    }

    private Runnable leaveSpareDescriptors() throws IOException {
        return ProcessLimits.limit(Resource.DESCRIPTORS, broker.pid(), HeldFiles.count(broker.pid()) + SPARE);
    }

    private static void awaitReadsByRdma(ProxyProcess proxy) {
        boolean byRdma = Deadline.after(Patience.ofSeconds(40))
                .await(() -> PathCounts.in(proxy.metrics()).rdmaFetched() > 0);
        assertThat(byRdma).as("%s", PathCounts.in(proxy.metrics())).isTrue();
    }

    /** The broker can still write its metadata log, and a new log. */
    private void assertUnharmed() throws Exception {
        NumberedTopic added = NumberedTopic.create(broker, "added", 1, VALUE_BYTES);
        added.append(broker.bootstrapServers(), 0, RECORDS);
        assertThat(broker.isAlive()).isTrue();
        assertThat(Files.readString(broker.log())).doesNotContain("Too many open files");
    }
}
