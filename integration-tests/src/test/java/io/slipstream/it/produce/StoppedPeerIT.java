// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.faults.Signals;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.Coordinators;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.ProducerIds;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.it.TailLatency;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * A broker is stopped while requests wait for it: acks=all for a follower, and transactional ones for the coordinator
 * of their transactions. At a stock broker they hold up nobody but their own connections. Neither may they through the
 * proxy, although all clients share one link.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class StoppedPeerIT {
    private static final short ALL = -1;
    private static final short LEADER = 1;
    private static final int WAITING_CLIENTS = 5;
    /** Together more requests than a link has credits, and more bytes than its ring. */
    private static final int WAITING_REQUESTS = 40;

    /** As many as a producer has in flight. */
    private static final int TRANSACTIONAL_REQUESTS = 5;

    private static final int WAITING_BYTES = 50_000;
    private static final int SERVED_BYTES = 200_000;
    /** Several times the ring. A request that waits for the ring in vain loses 500 ms. */
    private static final int SERVED_REQUESTS = 300;

    private static final int PEER_ID = 2;

    private BrokerCluster cluster;
    private BrokerProcess leader;
    private BrokerProcess peer;
    private ProxyProcess proxy;
    private RawTopics topics;
    private RequestFrame served;

    @BeforeAll
    void start() throws Exception {
        cluster = BrokerCluster.start(
                BrokerLine.NEWEST,
                2,
                1,
                // The follower stays in the ISR however long it is stopped.
                builder -> builder.withAgent()
                        .property("replica.lag.time.max.ms", "600000")
                        .property("broker.session.timeout.ms", "600000"));
        leader = cluster.brokers().get(0);
        peer = cluster.brokers().get(1);
        proxy = ProxyProcess.builder(leader).property("event.loops", "1").start();
        topics = new RawTopics(leader.bootstrapServers());
        served = frame(topics.createOn("alone", List.of(1)), LEADER, SERVED_BYTES);
    }

    @AfterAll
    void stop() throws Exception {
        topics.close();
        proxy.close();
        cluster.close();
    }

    @Test
    void shouldServeOthersWhileRequestsWaitForTheFollower() throws Exception {
        RequestFrame waiting = frame(topics.createOn("replicated", List.of(1, 2)), ALL, WAITING_BYTES);
        Map<RawClient, List<RequestFrame>> clients = new LinkedHashMap<>();
        for (int i = 0; i < WAITING_CLIENTS; i++) {
            clients.put(byRdma(proxy, waiting), Collections.nCopies(WAITING_REQUESTS, waiting));
        }
        assertOthersServed(clients);
    }

    /** The broker asks the coordinator about the first batch of each transaction. The others wait behind it. */
    @Test
    void shouldServeOthersWhileTransactionsWaitForTheCoordinator() throws Exception {
        TopicRef topic = topics.createOn("transactional", List.of(1));
        Map<RawClient, List<RequestFrame>> clients = new LinkedHashMap<>();
        try (RawClient coordinator = RawClient.connect(peer.bootstrapServers())) {
            Coordinators.await(coordinator, CoordinatorType.TRANSACTION, "any");
            for (int i = 0; clients.size() < WAITING_CLIENTS; i++) {
                String id = "stopped-" + i;
                FindCoordinatorRequestData find = new FindCoordinatorRequestData()
                        .setKeyType(CoordinatorType.TRANSACTION.id())
                        .setKey(id);
                if (coordinator.call(3, find, FindCoordinatorResponseData.class).nodeId() == PEER_ID) {
                    InitProducerIdResponseData producer = ProducerIds.of(coordinator, id);
                    clients.put(byRdma(proxy, served), transaction(topic, id, producer));
                }
            }
        }
        assertOthersServed(clients);
    }

    private static List<RequestFrame> transaction(TopicRef topic, String id, InitProducerIdResponseData producer) {
        List<RequestFrame> frames = new ArrayList<>();
        for (int sequence = 0; sequence < TRANSACTIONAL_REQUESTS; sequence++) {
            MemoryRecords batch = Batches.transactional(
                    producer.producerId(), producer.producerEpoch(), sequence, new byte[WAITING_BYTES]);
            frames.add(ProduceRequests.version(ProduceRequests.NEWEST, ALL)
                    .transactionalId(id)
                    .timeoutMs(120_000)
                    .add(topic, 0, batch)
                    .frame());
        }
        return frames;
    }

    /** Stops the peer, has the clients send their requests, and judges another client until the peer goes on. */
    private void assertOthersServed(Map<RawClient, List<RequestFrame>> clients) throws Exception {
        try (RawClient direct = RawClient.connect(leader.bootstrapServers());
                RawClient proxied = byRdma(proxy, served)) {
            Signals.stop(peer.pid());
            for (Map.Entry<RawClient, List<RequestFrame>> each : clients.entrySet()) {
                for (RequestFrame frame : each.getValue()) {
                    each.getKey().send(frame);
                }
            }
            long rdmaBefore = requests(proxy, "rdma");
            TailLatency latency = TailLatency.of(direct, proxied, SERVED_REQUESTS, (client, round) -> {
                client.send(served);
                verify(client);
            });
            long rdma = requests(proxy, "rdma") - rdmaBefore;

            System.out.printf("%s; %d of %d requests by RDMA%n", latency, rdma, SERVED_REQUESTS);
            assertThat(clients.keySet()).as("clients that wait").allMatch(client -> client.unanswered() > 0);
            assertThat(rdma).as("requests by RDMA").isGreaterThanOrEqualTo(SERVED_REQUESTS * 95 / 100);
            latency.verify();
            Signals.resume(peer.pid());
            for (Map.Entry<RawClient, List<RequestFrame>> each : clients.entrySet()) {
                for (int i = 0; i < each.getValue().size(); i++) {
                    verify(each.getKey());
                }
            }
        } finally {
            Signals.resume(peer.pid());
            for (RawClient client : clients.keySet()) {
                client.close();
            }
        }
    }

    private static RequestFrame frame(TopicRef topic, short acks, int valueBytes) {
        return ProduceRequests.version(ProduceRequests.NEWEST, acks)
                .timeoutMs(120_000)
                .add(topic, 0, Batches.of(new byte[valueBytes]))
                .frame();
    }

    private static RawClient byRdma(ProxyProcess proxy, RequestFrame frame) throws IOException {
        RawClient client = RawClient.connect(proxy.bootstrapServers());
        await().atMost(Patience.ofSeconds(15))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    long before = requests(proxy, "rdma");
                    client.send(frame);
                    verify(client);
                    return requests(proxy, "rdma") > before;
                });
        return client;
    }

    private static void verify(RawClient client) throws IOException {
        assertThat(client.receive()
                        .as(ProduceResponseData.class)
                        .responses()
                        .iterator()
                        .next()
                        .partitionResponses())
                .singleElement()
                .satisfies(partition -> assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code()));
    }

    private static long requests(ProxyProcess proxy, String path) {
        return proxy.metrics().count("slipstream_requests_total", "api", "PRODUCE", "path", path);
    }
}
