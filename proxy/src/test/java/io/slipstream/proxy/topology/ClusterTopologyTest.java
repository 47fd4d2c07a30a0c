// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterTopologyTest implements ClusterTopology.Observer {
    private static final BrokerEndpoint ONE = new BrokerEndpoint(1, "a", 9092);
    private static final BrokerEndpoint TWO = new BrokerEndpoint(2, "b", 9092);

    private final MeterRegistry meters = new MeterRegistry(Meter.values());
    private final List<BrokerEndpoint> served = new ArrayList<>();
    private final List<Integer> gone = new ArrayList<>();
    private CompletableFuture<Void> opening = CompletableFuture.completedFuture(null);

    @AfterEach
    void close() {
        meters.close();
    }

    @Override
    public CompletableFuture<Void> onBroker(BrokerEndpoint broker) {
        served.add(broker);
        return opening;
    }

    @Override
    public void onBrokerGone(int nodeId) {
        gone.add(nodeId);
    }

    @Test
    void shouldHoldAListBackUntilItsNewBrokersAreServed() {
        ClusterTopology topology = new ClusterTopology(this, Long.MAX_VALUE, meters);
        opening = new CompletableFuture<>();
        CompletableFuture<Void> ready = topology.learnAll("c", List.of(ONE, TWO));
        assertThat(ready).isNotDone();
        opening.complete(null);
        assertThat(ready).isCompleted();
        assertThat(topology.learnAll("c", List.of(TWO, ONE))).as("nothing new").isNull();
        assertThat(served).containsExactly(ONE, TWO);
        assertThat(topology.clusterId()).isEqualTo("c");
        assertThat(topology.nodeAt("b", 9092)).isEqualTo(2);
        assertThat(topology.nodeAt("b", 9093)).isEqualTo(-1);
    }

    @Test
    void shouldFollowABrokerThatMoves() {
        ClusterTopology topology = new ClusterTopology(this, Long.MAX_VALUE, meters);
        topology.learnAll("c", List.of(ONE));
        BrokerEndpoint moved = new BrokerEndpoint(1, "c", 9999);
        topology.learnSome(List.of(moved));
        assertThat(topology.broker(1)).isEqualTo(moved);
        assertThat(served).containsExactly(ONE, moved);
    }

    @Test
    void shouldForgetOnlyWhatNoListNamesForTooLong() {
        ClusterTopology topology =
                new ClusterTopology(this, Duration.ofMillis(50).toNanos(), meters);
        topology.learnAll("c", List.of(ONE, TWO));
        topology.learnSome(List.of(ONE));
        topology.expire();
        assertThat(topology.brokers()).hasSize(2);

        Awaitility.await().until(() -> {
            topology.learnAll("c", List.of(ONE));
            topology.expire();
            return topology.brokers().size() == 1;
        });
        assertThat(gone).containsExactly(2);
        assertThat(topology.broker(1)).isEqualTo(ONE);
    }
}
