// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.Coordinators;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A member waits in the ring for its group, leaves, and joins again on another connection. The broker never answers its
 * first request. Nothing of it may stay in the ring.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AbandonedJoinsIT {
    private static final short VERSION = 9;
    private static final String GROUP = "group";
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    /** More than a link may have unanswered, if none were given back. */
    private static final int ROUNDS = 40;

    private ProxyProcess proxy;
    private RequestFrame record;

    @Test
    void shouldKeepNothingOfARequestWhoseClientLeft() throws Exception {
        try (BrokerProcess started =
                        BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
                ProxyProcess one = ProxyProcess.builder(started)
                        .property("event.loops", "1")
                        .start();
                RawTopics topics = new RawTopics(started.bootstrapServers());
                PluginCounts counts = PluginCounts.of(started)) {
            proxy = one;
            record = ProduceRequests.version(ProduceRequests.NEWEST, 1)
                    .add(topics.create("t", 1), 0, Batches.of(new byte[10]))
                    .frame();
            try (RawClient leader = byRdma()) {
                String first = newMember(leader);
                assertThat(leader.call(VERSION, joining(first))
                                .as(JoinGroupResponseData.class)
                                .generationId())
                        .isEqualTo(1);
                String second = null;
                for (int round = 0; round < ROUNDS; round++) {
                    try (RawClient waiter = byRdma()) {
                        second = second == null ? newMember(waiter) : second;
                        waiter.send(RequestFrame.of(VERSION, joining(second)));
                        awaitWaiting(counts, 1);
                    }
                    awaitWaiting(counts, 0);
                }
                try (RawClient waiter = byRdma()) {
                    waiter.send(RequestFrame.of(VERSION, joining(second)));
                    awaitWaiting(counts, 1);
                    assertThat(leader.call(VERSION, joining(first))
                                    .as(JoinGroupResponseData.class)
                                    .members())
                            .hasSize(2);
                    assertThat(waiter.receive().as(JoinGroupResponseData.class).generationId())
                            .isEqualTo(2);
                }
                assertThat(requests("JOIN_GROUP", "tcp")).isZero();
                assertThat(requests("JOIN_GROUP", "rdma")).isPositive();
            }
        }
    }

    private static void awaitWaiting(PluginCounts counts, long requests) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> counts.get("REQUESTS_WAITING") == requests);
    }

    private RawClient byRdma() throws IOException {
        RawClient client = RawClient.connect(proxy.bootstrapServers());
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            long before = requests("PRODUCE", "rdma");
            client.send(record);
            client.receive();
            return requests("PRODUCE", "rdma") > before;
        });
        return client;
    }

    private long requests(String api, String path) {
        return proxy.metrics().count("slipstream_requests_total", "api", api, "path", path);
    }

    private static String newMember(RawClient client) throws IOException {
        return Coordinators.ask(
                        client,
                        CoordinatorType.GROUP,
                        GROUP,
                        VERSION,
                        joining(""),
                        JoinGroupResponseData.class,
                        answer -> answer.errorCode() == Errors.MEMBER_ID_REQUIRED.code())
                .memberId();
    }

    private static JoinGroupRequestData joining(String member) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(GROUP)
                .setMemberId(member)
                .setProtocolType("consumer")
                .setSessionTimeoutMs(60_000)
                .setRebalanceTimeoutMs(60_000);
        request.protocols().add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[8]));
        return request;
    }
}
