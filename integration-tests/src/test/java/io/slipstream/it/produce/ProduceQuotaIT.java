// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client exceeds its quota and ignores {@code throttle_time_ms}. A broker mutes its connection for that time, which
 * delays later answers. The proxy must do the same on behalf of the broker.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ProduceQuotaIT {
    private static final double QUOTA_BYTES_A_SECOND = 100_000;
    private static final int MUCH_BYTES = 300_000;
    private static final int MUCH_MS = 500;
    private static final int PIPELINED = 5;
    /** The broker counts in whole milliseconds. */
    private static final long TOLERANCE_MS = 5;

    @Test
    void shouldMuteAClientBeyondItsQuotaLikeABroker() throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                        .withAgent()
                        .property("quota.window.num", "2")
                        .property("quota.window.size.seconds", "1")
                        .start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start();
                RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            TopicRef topic = topics.create("quota", 1);
            limit(broker.bootstrapServers());

            muted(broker.bootstrapServers(), topic, client -> {});
            long[] byRdma = new long[1];
            muted(proxy.bootstrapServers(), topic, client -> {
                await().atMost(Patience.ofSeconds(15))
                        .pollInterval(Duration.ofMillis(50))
                        .until(() -> {
                            long before = byRdma(proxy);
                            produce(client, small(topic));
                            return byRdma(proxy) > before;
                        });
                byRdma[0] = byRdma(proxy);
            });

            assertThat(byRdma(proxy) - byRdma[0])
                    .as("requests by RDMA: the throttled one and the later ones")
                    .isEqualTo(1 + PIPELINED);
            assertThat(proxy.metrics().sum("slipstream_links_up")).isPositive();
        }
    }

    private interface WarmUp {
        void run(RawClient client) throws IOException;
    }

    private static void muted(String bootstrap, TopicRef topic, WarmUp warmUp) throws IOException {
        try (RawClient client = RawClient.connect(bootstrap)) {
            warmUp.run(client);
            // Throttling starts at this time at the earliest.
            long sentNs = System.nanoTime();
            int throttleMs = produce(client, much(topic));
            assertThat(throttleMs).as("throttle time at %s", bootstrap).isGreaterThan(MUCH_MS);

            for (int i = 0; i < PIPELINED; i++) {
                client.send(small(topic));
            }
            for (int i = 0; i < PIPELINED; i++) {
                verify(client);
                assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sentNs))
                        .as("time from a throttled answer to answer %d after it, at %s", i, bootstrap)
                        .isGreaterThanOrEqualTo(throttleMs - TOLERANCE_MS);
            }
        }
    }

    private static void limit(String bootstrap) throws Exception {
        ClientQuotaEntity everyClient =
                new ClientQuotaEntity(Collections.singletonMap(ClientQuotaEntity.CLIENT_ID, null));
        ClientQuotaAlteration alteration = new ClientQuotaAlteration(
                everyClient, List.of(new ClientQuotaAlteration.Op("producer_byte_rate", QUOTA_BYTES_A_SECOND)));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.alterClientQuotas(List.of(alteration)).all().get(30, TimeUnit.SECONDS);
        }
    }

    private static RequestFrame much(TopicRef topic) {
        return frame(topic, MUCH_BYTES);
    }

    private static RequestFrame small(TopicRef topic) {
        return frame(topic, 10);
    }

    private static RequestFrame frame(TopicRef topic, int valueBytes) {
        return ProduceRequests.version(ProduceRequests.NEWEST, 1)
                .add(topic, 0, Batches.of(new byte[valueBytes]))
                .frame();
    }

    private static int produce(RawClient client, RequestFrame frame) throws IOException {
        client.send(frame);
        return verify(client);
    }

    private static int verify(RawClient client) throws IOException {
        ProduceResponseData response = client.receive().as(ProduceResponseData.class);
        assertThat(response.responses().iterator().next().partitionResponses())
                .singleElement()
                .satisfies(partition -> assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code()));
        return response.throttleTimeMs();
    }

    private static long byRdma(ProxyProcess proxy) {
        return proxy.metrics().count("slipstream_requests_total", "api", "PRODUCE", "path", "rdma");
    }
}
