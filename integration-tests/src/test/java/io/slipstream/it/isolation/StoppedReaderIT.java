// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.Signals;
import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.it.Neighbours;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A proxy is stopped by SIGSTOP inside a READ. Then a leader moves, a topic is deleted and a right is taken away, all
 * of partitions that it was reading. Clients of another proxy do not wait for it.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class StoppedReaderIT {
    private static final int RECORDS = 50;
    private static final int VALUE_BYTES = 60_000;
    private static final int FETCHES_IN_FLIGHT = 4;
    private static final int LEASE_MS = 1_000;
    private static final int RIGHTS_SLACK_MS = 1_000;
    /** Long enough to deregister what was revoked, which the stopped proxy prevents. */
    private static final int FAULT_MS = 4 * LEASE_MS;

    private BrokerCluster cluster;
    private BrokerProcess broker;
    private ProxyProcess stopped;
    private Admin admin;
    private PluginCounts plugin;

    @BeforeEach
    void start() throws Exception {
        cluster = BrokerCluster.start(
                BrokerLine.NEWEST,
                2,
                1,
                builder -> builder.withAgent()
                        .property("slipstream.lease.ms", Integer.toString(LEASE_MS))
                        .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                        .property("allow.everyone.if.no.acl.found", "true"));
        broker = cluster.brokers().get(0);
        stopped = ProxyProcess.builder(broker).property("event.loops", "1").start();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
        plugin = PluginCounts.of(broker);
    }

    @AfterEach
    void stop() throws Exception {
        plugin.close();
        admin.close();
        stopped.close();
        cluster.close();
    }

    @Test
    void shouldServeOthersAndTakeRightsAwayInTime() throws Exception {
        try (RawTopics topics = new RawTopics(broker.bootstrapServers());
                Neighbours neighbours = new Neighbours(broker);
                RawClient rightful = RawClient.connect(neighbours.proxy().bootstrapServers())) {
            TopicRef moved = filled(topics.createOn("moved", List.of(1, 2)));
            TopicRef deleted = filled(topics.createOn("deleted", List.of(1)));
            TopicRef denied = filled(topics.createOn("denied", List.of(1)));
            admin.createAcls(List.of(right(denied, "User:ANONYMOUS"), right(denied, "User:another")))
                    .all()
                    .get(20, TimeUnit.SECONDS);
            try (RawClient reader = RawClient.connect(stopped.bootstrapServers())) {
                CompletableFuture<Void> reading =
                        CompletableFuture.runAsync(() -> readOn(reader, moved, deleted, denied));
                awaitByRdma(neighbours.proxy(), rightful, denied);
                // The regions of each reader, and the neighbours' one.
                boolean byRdma =
                        Deadline.after(Patience.ofSeconds(30)).await(() -> plugin.gauge("Regions") == 3 + 1 + 1);
                assertThat(byRdma).as("%d regions", plugin.gauge("Regions")).isTrue();
                InsideRead.stop(stopped.pid(), broker.logDirectory());
                try {
                    CompletableFuture<Void> measured = measure(neighbours);
                    moveLeader(moved);
                    topics.delete(deleted);
                    assertRefused(rightful, denied);
                    measured.get(60, TimeUnit.SECONDS);
                    assertThat(plugin.gauge("Regions"))
                            .as("regions: those of the stopped proxy stay charged, and the neighbours have one")
                            .isEqualTo(3 + 1);
                } finally {
                    Signals.resume(stopped.pid());
                }
                assertThat(reading).isNotDone();
            }
        }
        assertThat(Deadline.after(Patience.ofSeconds(20))
                        .await(() -> plugin.gauge("Regions") == 0 && plugin.gauge("SegmentBytes") == 0))
                .as("%d regions and %d bytes are charged", plugin.gauge("Regions"), plugin.gauge("SegmentBytes"))
                .isTrue();
    }

    private TopicRef filled(TopicRef topic) throws Exception {
        new NumberedTopic(topic.name(), 1, VALUE_BYTES).append(broker.bootstrapServers(), 0, RECORDS);
        return topic;
    }

    /** Reads the topics again and again. With several Fetches in flight the proxy does little else than READs. */
    private static void readOn(RawClient client, TopicRef... topics) {
        FetchRequests request = FetchRequests.version(FetchRequests.NEWEST);
        for (TopicRef topic : topics) {
            request.add(topic, 0, 0);
        }
        RequestFrame frame = request.frame();
        try {
            client.withTimeout(Patience.ofSeconds(60));
            for (int i = 0; i < FETCHES_IN_FLIGHT; i++) {
                client.send(frame);
            }
            while (true) {
                client.receiveAndDiscard();
                client.send(frame);
            }
        } catch (IOException | ClosedSelectorException closed) {
            // At the end of the test.
        }
    }

    private static AclBinding right(TopicRef topic, String principal) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic.name(), PatternType.LITERAL),
                new AccessControlEntry(principal, "*", AclOperation.READ, AclPermissionType.ALLOW));
    }

    private static void awaitByRdma(ProxyProcess proxy, RawClient client, TopicRef topic) {
        boolean byRdma = Deadline.after(Patience.ofSeconds(30)).await(() -> {
            long before = PathCounts.in(proxy.metrics()).rdmaFetched();
            return fetch(client, topic) == Errors.NONE
                    && PathCounts.in(proxy.metrics()).rdmaFetched() > before;
        });
        assertThat(byRdma).as("the Fetch goes by RDMA").isTrue();
    }

    private static Errors fetch(RawClient client, TopicRef topic) {
        try {
            client.send(FetchRequests.version(FetchRequests.NEWEST)
                    .add(topic, 0, 0, VALUE_BYTES)
                    .frame());
            return Errors.forCode(client.receive()
                    .as(FetchResponseData.class)
                    .responses()
                    .get(0)
                    .partitions()
                    .get(0)
                    .errorCode());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CompletableFuture<Void> measure(Neighbours neighbours) {
        Deadline fault = Deadline.after(Duration.ofMillis(FAULT_MS));
        return CompletableFuture.runAsync(() -> {
            try {
                neighbours.verify("a proxy stopped inside a READ", () -> !fault.isOver());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void moveLeader(TopicRef topic) throws Exception {
        TopicPartition partition = new TopicPartition(topic.name(), 0);
        admin.alterPartitionReassignments(Map.of(partition, Optional.of(new NewPartitionReassignment(List.of(2, 1)))))
                .all()
                .get(20, TimeUnit.SECONDS);
        admin.electLeaders(ElectionType.PREFERRED, Set.of(partition)).all().get(20, TimeUnit.SECONDS);
    }

    /** Takes the right to read away, and awaits the refusal of a client of the other proxy. */
    private void assertRefused(RawClient client, TopicRef topic) throws Exception {
        assertThat(fetch(client, topic)).isEqualTo(Errors.NONE);
        admin.deleteAcls(List.of(right(topic, "User:ANONYMOUS").toFilter()))
                .all()
                .get(20, TimeUnit.SECONDS);
        long startNs = System.nanoTime();
        boolean refused = Deadline.after(Patience.ofSeconds(20)).await(() -> fetch(client, topic) != Errors.NONE);
        long refusedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        System.out.printf("the right to read ends after %d ms, with a lease of %d ms%n", refusedMs, LEASE_MS);
        assertThat(refused).as("the Fetch is refused").isTrue();
        assertThat(refusedMs).as("ms until the Fetch is refused").isLessThanOrEqualTo(LEASE_MS + RIGHTS_SLACK_MS);
    }
}
