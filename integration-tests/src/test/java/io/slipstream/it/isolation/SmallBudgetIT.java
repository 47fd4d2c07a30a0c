// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.slipstream.harness.PluginCounts;
import io.slipstream.it.Neighbours;
import io.slipstream.it.Thorough;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The budget of registered bytes is smaller than what consumers ask for. RDMA serves what has room, and nobody loses a
 * region for another.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class SmallBudgetIT {
    private static final int PARTITIONS = 50;
    private static final int RECORDS = 20;
    private static final int VALUE_BYTES = 10_000;
    /** With shm each segment of a link counts as a page. */
    private static final int PAGE_BYTES = 4096;
    /** One proxy holds at most this part of the budget. */
    static final double MOST_OF_BUDGET = 16 / 17.0;

    /** Of what has room. Measured: 0.9 to 1. */
    private static final double LEAST_SHARE = 0.75;

    private static final int PASSES = 5;

    /** Nearly all or a third of what one or two proxies read has room. A build takes one case, by its seed. */
    static List<Arguments> budgets() {
        return Thorough.drawn(List.of(arguments(93, 1), arguments(93, 2), arguments(30, 1), arguments(30, 2)));
    }

    @ParameterizedTest
    @MethodSource("budgets")
    void shouldServeTheShareThatHasRoom(int percent, int proxies) throws Exception {
        int demand = PARTITIONS * proxies;
        int room = demand * percent / 100;
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                        .withAgent()
                        .property("slipstream.lease.ms", "500")
                        .property("slipstream.registered.bytes", Integer.toString(room * PAGE_BYTES))
                        .start();
                PluginCounts plugin = PluginCounts.of(broker)) {
            NumberedTopic topic = NumberedTopic.create(broker, "small-budget", PARTITIONS, VALUE_BYTES)
                    .append(broker.bootstrapServers(), 0, RECORDS);
            List<ProxyProcess> started = new ArrayList<>();
            List<RepeatedReader> readers = new ArrayList<>();
            try {
                for (int i = 0; i < proxies; i++) {
                    started.add(ProxyProcess.builder(broker)
                            .property("event.loops", "1")
                            .start());
                    readers.add(new RepeatedReader(started.get(i).bootstrapServers(), topic));
                }
                measure(plugin, started, readers, PASSES, Math.min(1, room * MOST_OF_BUDGET / demand));
                try (Neighbours neighbours = new Neighbours(broker)) {
                    neighbours.verify(percent + " % of the demand of " + proxies + " proxies", () -> false);
                }
            } finally {
                for (RepeatedReader reader : readers) {
                    reader.close();
                }
                for (ProxyProcess proxy : started) {
                    proxy.close();
                }
            }
        }
    }

    /** @param allowed the part of the records that has room, from 0 to 1 */
    static void measure(
            PluginCounts plugin, List<ProxyProcess> proxies, List<RepeatedReader> readers, int passes, double allowed) {
        boolean byRdma = Deadline.after(Patience.ofSeconds(30))
                .await(() -> proxies.stream()
                        .allMatch(proxy -> PathCounts.in(proxy.metrics()).rdmaFetched() > 0));
        assertThat(byRdma).as("records by RDMA through each proxy").isTrue();
        readers.forEach(reader -> reader.awaitPasses(2));
        PathCounts before = counts(proxies);
        long revoked = plugin.gauge("GrantsRevoked,kind=read");
        long startNs = System.nanoTime();
        readers.forEach(reader -> reader.awaitPasses(passes));
        long passMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) / passes;
        PathCounts counts = counts(proxies).since(before);
        long revokedSince = plugin.gauge("GrantsRevoked,kind=read") - revoked;
        System.out.printf(
                "%.0f %% of the demand has room: %.0f %% of the records by RDMA; %d regions, %d revocations,"
                        + " %d ms for a pass%n",
                100 * allowed, 100 * counts.rdmaShare(), plugin.gauge("Regions"), revokedSince, passMs);
        assertThat(counts.rdmaShare()).as("%s", counts).isGreaterThanOrEqualTo(LEAST_SHARE * allowed);
        assertThat(revokedSince).as("revocations").isZero();
    }

    private static PathCounts counts(List<ProxyProcess> proxies) {
        return proxies.stream().map(proxy -> PathCounts.in(proxy.metrics())).reduce(PathCounts.NONE, PathCounts::plus);
    }
}
