// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.faults.Signals;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A follower is stopped while requests with acks=all wait for it. At a stock broker they hold up nobody but their own
 * connections. Neither may they through the proxy, although all clients share one link.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class StoppedFollowerIT {
    private static final short ALL = -1;
    private static final short LEADER = 1;
    /** Together more requests than a link has credits, and more bytes than its ring. */
    private static final int WAITING_CLIENTS = 5;

    private static final int WAITING_REQUESTS = 40;
    private static final int WAITING_BYTES = 50_000;
    private static final int SERVED_BYTES = 200_000;
    /** Several times the ring. */
    private static final int SERVED_REQUESTS = 300;
    /** For a busy machine. A request that waits for the ring in vain loses 500 ms. */
    private static final long SLACK_MS = 150;

    @Test
    void shouldServeOthersWhileRequestsWaitForTheFollower() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(
                        BrokerLine.NEWEST,
                        2,
                        1,
                        // The follower stays in the ISR however long it is stopped.
                        builder -> builder.withAgent()
                                .property("replica.lag.time.max.ms", "600000")
                                .property("broker.session.timeout.ms", "600000"));
                ProxyProcess proxy = ProxyProcess.builder(cluster.brokers().get(0))
                        .property("event.loops", "1")
                        .start();
                RawTopics topics = new RawTopics(cluster.brokers().get(0).bootstrapServers())) {
            BrokerProcess follower = cluster.brokers().get(1);
            RequestFrame waiting = frame(topics.createOn("replicated", List.of(1, 2)), ALL, WAITING_BYTES);
            RequestFrame served = frame(topics.createOn("alone", List.of(1)), LEADER, SERVED_BYTES);
            List<RawClient> clients = new ArrayList<>();
            try (RawClient direct = RawClient.connect(cluster.brokers().get(0).bootstrapServers());
                    RawClient proxied = byRdma(proxy, served)) {
                for (int i = 0; i < WAITING_CLIENTS; i++) {
                    clients.add(byRdma(proxy, waiting));
                }
                Signals.stop(follower.pid());
                for (RawClient client : clients) {
                    for (int i = 0; i < WAITING_REQUESTS; i++) {
                        client.send(waiting);
                    }
                }
                long directMs = p99Ms(direct, served);
                long rdmaBefore = requests(proxy, "rdma");
                long proxiedMs = p99Ms(proxied, served);
                long rdma = requests(proxy, "rdma") - rdmaBefore;

                System.out.printf(
                        "p99 %d ms direct, %d ms proxied; %d of %d requests by RDMA%n",
                        directMs, proxiedMs, rdma, SERVED_REQUESTS);
                assertThat(rdma).as("requests by RDMA").isGreaterThanOrEqualTo(SERVED_REQUESTS * 95 / 100);
                assertThat(proxiedMs).as("p99, ms").isLessThanOrEqualTo(2 * directMs + SLACK_MS);
                Signals.resume(follower.pid());
                for (RawClient client : clients) {
                    for (int i = 0; i < WAITING_REQUESTS; i++) {
                        verify(client);
                    }
                }
            } finally {
                Signals.resume(follower.pid());
                for (RawClient client : clients) {
                    client.close();
                }
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

    private static long p99Ms(RawClient client, RequestFrame frame) throws IOException {
        long[] timesNs = new long[SERVED_REQUESTS];
        for (int i = 0; i < timesNs.length; i++) {
            long startNs = System.nanoTime();
            client.send(frame);
            verify(client);
            timesNs[i] = System.nanoTime() - startNs;
        }
        Arrays.sort(timesNs);
        return TimeUnit.NANOSECONDS.toMillis(timesNs[timesNs.length * 99 / 100]);
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
