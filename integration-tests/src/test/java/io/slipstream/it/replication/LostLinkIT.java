// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.faults.Relay;
import io.slipstream.harness.PluginCounts;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The link between two brokers is lost, and the fetcher and its TCP connection stay. The follower reaches the control
 * socket of its leader through a relay, which cuts the connection.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class LostLinkIT {
    private static final int LOSSES = 5;

    /** Those of shared memory. A broker opens sockets at any time, and its handlers open event counters when busy. */
    private static long descriptors(BrokerProcess broker) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/" + broker.pid() + "/fd"))) {
            return all.map(LostLinkIT::target)
                    .filter(target -> target.contains("memfd:"))
                    .count();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    /** The leader answers a fetch that waits for records before it ends the link, so the reason may be either. */
    private static long lost(PluginCounts follower) {
        return follower.gauge("ReplicationFallbacks,reason=link_lost")
                + follower.gauge("ReplicationFallbacks,reason=refused");
    }

    /** @param leaders the second broker's directory of sockets */
    private static BrokerCluster start(Path leaders) {
        AtomicInteger brokers = new AtomicInteger();
        return BrokerCluster.start(BrokerLine.NEWEST, 2, 1, builder -> {
            if (brokers.incrementAndGet() == 2) {
                builder.slipstreamDirectory(leaders);
            }
            return builder.withAgent()
                    .property("slipstream.replication", "auto")
                    .property("replica.high.watermark.checkpoint.interval.ms", "500");
        });
    }

    @Test
    void shouldContinueOverTcpAndComeBackWithoutLeaks() throws Exception {
        try (TempDirectory leaders = TempDirectory.create("ss-l");
                BrokerCluster cluster = start(leaders.path())) {
            BrokerProcess follower = cluster.brokers().get(0);
            BrokerProcess leader = cluster.brokers().get(1);
            Path socket = leader.pluginSocket();
            try (Relay relay =
                            Relay.betweenSockets(follower.slipstreamDirectory().resolve(socket.getFileName()), socket);
                    PluginCounts ofFollower = PluginCounts.of(follower);
                    PluginCounts ofLeader = PluginCounts.of(leader);
                    ReplicatedTopic topic = ReplicatedTopic.create(cluster, "lost", Map.of(), 2, 1)) {
                long atFollower = 0;
                long atLeader = 0;
                long lost = lost(ofFollower);
                for (int i = 0; i < LOSSES; i++) {
                    topic.awaitRdma(List.of(follower));
                    atFollower = i == 1 ? descriptors(follower) : atFollower;
                    atLeader = i == 1 ? descriptors(leader) : atLeader;
                    cut(relay, topic, ofFollower);
                }
                topic.awaitRdma(List.of(follower));
                assertThat(lost(ofFollower) - lost)
                        .as("fetches that lost their link; at a loss there may be none")
                        .isBetween(1L, (long) LOSSES);
                assertThat(ofFollower.get("REPLICATION_LINKS")).isEqualTo(1);
                assertThat(ofLeader.get("SESSIONS_OPEN")).as("sessions").isEqualTo(1);
                assertThat(ofLeader.get("LINKS_OPEN")).as("rings").isEqualTo(1);
                long mostAtFollower = atFollower;
                long mostAtLeader = atLeader;
                assertThat(mostAtFollower).as("descriptors").isPositive();
                await().atMost(Patience.ofSeconds(20)).untilAsserted(() -> {
                    assertThat(descriptors(follower)).as("at the follower").isLessThanOrEqualTo(mostAtFollower);
                    assertThat(descriptors(leader)).as("at the leader").isLessThanOrEqualTo(mostAtLeader);
                });
                topic.verify();
            }
        }
    }

    /** The fetch in progress takes TCP at once, so no record waits for a link. */
    private static void cut(Relay relay, ReplicatedTopic topic, PluginCounts follower) throws Exception {
        long byTcp = ReplicatedTopic.fetches(follower, "tcp");
        assertThat(relay.cut()).as("control connections").isEqualTo(1);
        long startNs = System.nanoTime();
        topic.produce(5, 100);
        assertThat(System.nanoTime() - startNs)
                .as("five records after the loss")
                .isLessThan(Patience.ofSeconds(3).toNanos());
        assertThat(ReplicatedTopic.fetches(follower, "tcp")).isGreaterThan(byTcp);
    }
}
