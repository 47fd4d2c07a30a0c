// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.FreezableDisk;
import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.it.TailLatency;
import io.slipstream.it.Tool;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One of two log directories hangs. At a stock broker, clients of the other one do not notice. Neither may they through
 * the proxy, although all its clients share one link, and so one handler thread of the plugin.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class FrozenDirectoryIT {
    private static final int FROZEN_S = 8;
    /** More than there are handler threads that poll, fewer than num.io.threads. */
    private static final int STUCK = 3;

    private static final int HEALTHY = 3;
    private static final int PARTITIONS = 4;

    @TempDir
    private Path directory;

    private final List<PacedClient> clients = new ArrayList<>();

    @BeforeEach
    void requireFreezing() {
        FreezableDisk.obstacle(directory).ifPresent(Tool::unavailable);
    }

    @Test
    void shouldServeClientsOfTheOtherDirectoryAsTheBrokerDoes() throws Exception {
        Path frozen = directory.resolve("frozen");
        try (FreezableDisk disk = FreezableDisk.mount(frozen, 128);
                BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                        .withAgent()
                        .property("log.dirs", directory.resolve("healthy") + "," + frozen.resolve("logs"))
                        .start();
                ProxyProcess proxy = ProxyProcess.builder(broker)
                        .property("event.loops", "1")
                        .start();
                PluginCounts plugin = PluginCounts.of(broker);
                RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            try {
                measure(disk, broker, proxy, plugin, topics.create("two-directories", PARTITIONS), frozen);
            } finally {
                clients.forEach(PacedClient::close);
            }
        }
    }

    private void measure(
            FreezableDisk disk,
            BrokerProcess broker,
            ProxyProcess proxy,
            PluginCounts plugin,
            TopicRef topic,
            Path frozen)
            throws Exception {
        int[] partitions = partitions(topic, frozen);
        for (int i = 0; i < STUCK; i++) {
            clients.add(new PacedClient(proxy.bootstrapServers(), topic.name(), partitions[1]));
        }
        List<PacedClient> direct = pacedClients(broker.bootstrapServers(), topic, partitions[0]);
        List<PacedClient> proxied = pacedClients(proxy.bootstrapServers(), topic, partitions[0]);
        assertThat(Deadline.after(Patience.ofSeconds(30)).await(() -> isByRdma(proxy)))
                .as("all clients use RDMA")
                .isTrue();

        Process thaw = disk.freeze(FROZEN_S);
        clients.forEach(PacedClient::reset);
        long byRdmaBefore = requests(proxy, "PRODUCE", "rdma");
        boolean thawed = thaw.waitFor(FROZEN_S - 1, TimeUnit.SECONDS);
        long stuck = plugin.gauge("RequestsStuck");
        long byRdma = requests(proxy, "PRODUCE", "rdma") - byRdmaBefore;
        PacedClient.Totals directly = PacedClient.totals(direct);
        PacedClient.Totals throughProxy = PacedClient.totals(proxied);
        System.out.printf("direct: %s; proxied: %s, %d by RDMA%n", directly, throughProxy, byRdma);

        assertThat(thawed).as("the disk is still frozen").isFalse();
        assertThat(throughProxy.acks()).as("acknowledgements").isGreaterThanOrEqualTo(directly.acks() * 9 / 10);
        assertThat(byRdma).as("requests by RDMA").isGreaterThanOrEqualTo(throughProxy.acks() * 9 / 10);
        assertThat(throughProxy.medianUs()).as("consumers' median, us").isLessThanOrEqualTo(2 * directly.medianUs());
        new TailLatency(directly.p99Ms(), throughProxy.p99Ms()).verify();
        assertThat(stuck).as("requests that hang").isEqualTo(STUCK);
        assertThat(thaw.waitFor()).isZero();
        assertThat(Deadline.after(Patience.ofSeconds(30)).await(() -> plugin.gauge("RequestsStuck") == 0))
                .as("no request hangs any more")
                .isTrue();
    }

    private List<PacedClient> pacedClients(String bootstrap, TopicRef topic, int partition) {
        List<PacedClient> made = new ArrayList<>();
        for (int i = 0; i < HEALTHY; i++) {
            made.add(new PacedClient(bootstrap, topic.name(), partition));
        }
        clients.addAll(made);
        return made;
    }

    /** Returns a partition in the healthy directory and one in the other. */
    private static int[] partitions(TopicRef topic, Path frozen) {
        int[] found = {-1, -1};
        for (int i = 0; i < PARTITIONS; i++) {
            found[Files.exists(frozen.resolve("logs").resolve(topic.name() + "-" + i)) ? 1 : 0] = i;
        }
        assertThat(found).as("partitions of both directories").doesNotContain(-1);
        return found;
    }

    /** Returns whether most requests of the last moment went by RDMA. */
    private boolean isByRdma(ProxyProcess proxy) {
        return requests(proxy, "PRODUCE", "rdma") > 200 && requests(proxy, "FETCH", "rdma") > 200;
    }

    private static long requests(ProxyProcess proxy, String api, String path) {
        return proxy.metrics().count("slipstream_requests_total", "api", api, "path", path);
    }
}
