// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.ProxyProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Quotas for produced bytes, fetched bytes and request time, by client id and by user, for a minute. A client by RDMA
 * must get the same throughput as a direct client with the same work. All clients run concurrently at full speed.
 */
@Tag("thorough")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class QuotaMinuteIT {
    private static final Duration MINUTE = Duration.ofSeconds(60);
    private static final double PRODUCED_BYTES_A_SECOND = 400_000;
    private static final double FETCHED_BYTES_A_SECOND = 800_000;
    private static final double REQUEST_PERCENT = 2;
    /** Relative to the direct client. */
    private static final double TOLERANCE = 0.1;
    /**
     * A broker lets a formerly silent client exceed its rate by all samples of its window, and again when those samples
     * expire. With the default of 11, the throughput of a minute varies by a sixth with its phase.
     */
    private static final int WINDOW_SECONDS = 3;

    private final List<QuotaClient> clients = new ArrayList<>();

    @Test
    void shouldThrottleLikeABrokerWithoutAProxy() throws Exception {
        try (SecureBroker broker = SecureBroker.start(
                        BrokerLine.NEWEST,
                        settings -> settings.property("super.users", "User:ANONYMOUS;User:alice;User:bob")
                                // The records have timestamps years ago.
                                .property("log.retention.ms", "-1")
                                .property("quota.window.num", Integer.toString(WINDOW_SECONDS)));
                ProxyProcess plain = proxy(broker, broker.process().bootstrapServers(), "PLAINTEXT");
                ProxyProcess sasl = proxy(broker, broker.bootstrapServers(SecureListener.SASL), "SASL_PLAINTEXT");
                PluginCounts counts = PluginCounts.of(broker.process());
                RawTopics topics = new RawTopics(broker.process().bootstrapServers())) {
            TopicRef read = topics.create("read", 1);
            QuotaClient.fill(broker.process().bootstrapServers(), read);
            limit(broker);
            // A proxy of a SASL listener learns the cluster from an answer to a client; later connections go by RDMA.
            QuotaClient.consumer(sasl.bootstrapServers(), "bob", "first", read).close();

            String direct = broker.process().bootstrapServers();
            String directSasl = broker.bootstrapServers(SecureListener.SASL);
            TopicRef written = topics.create("written", 1);
            Pair produced = pair(
                    QuotaClient.producer(direct, null, "direct", written),
                    QuotaClient.producer(plain.bootstrapServers(), null, "proxied", written));
            Pair fetched = pair(
                    QuotaClient.consumer(direct, null, "direct", read),
                    QuotaClient.consumer(plain.bootstrapServers(), null, "proxied", read));
            Pair producedByUser = pair(
                    QuotaClient.producer(directSasl, "alice", "any", written),
                    QuotaClient.producer(sasl.bootstrapServers(), "bob", "any", written));
            Pair fetchedByUser = pair(
                    QuotaClient.consumer(directSasl, "alice", "any", read),
                    QuotaClient.consumer(sasl.bootstrapServers(), "bob", "any", read));
            Pair requests = pair(
                    QuotaClient.requester(direct, "direct-requests", written),
                    QuotaClient.requester(plain.bootstrapServers(), "proxied-requests", written));

            RequestTime directTime = new RequestTime(counts, "direct-requests");
            RequestTime proxiedTime = new RequestTime(counts, "proxied-requests");
            run(directTime, proxiedTime);

            produced.verify("produced by client id", PRODUCED_BYTES_A_SECOND);
            producedByUser.verify("produced by user", PRODUCED_BYTES_A_SECOND);
            fetched.verify("fetched by client id", FETCHED_BYTES_A_SECOND);
            fetchedByUser.verify("fetched by user", FETCHED_BYTES_A_SECOND);
            System.out.printf(
                    "broker's time: direct %.2f %%, proxied %.2f %%, of %.0f %%; %d and %d requests%n",
                    directTime.percent(),
                    proxiedTime.percent(),
                    REQUEST_PERCENT,
                    requests.direct.answers(),
                    requests.proxied.answers());
            assertThat(proxiedTime.percent())
                    .as("percent of the broker's time for the client by RDMA")
                    .isBetween(directTime.percent() * (1 - TOLERANCE), directTime.percent() * (1 + TOLERANCE));
            for (ProxyProcess proxy : List.of(plain, sasl)) {
                assertThat(byRdma(proxy, "PRODUCE")).as("produces by RDMA").isGreaterThan(100);
                assertThat(byRdma(proxy, "FETCH")).as("fetches by RDMA").isGreaterThan(10);
            }
        }
    }

    /** Two clients with the same work, directly and through the proxy. */
    private record Pair(QuotaClient direct, QuotaClient proxied) {
        void verify(String what, double bytesASecond) {
            System.out.printf(
                    "%s: direct %,d bytes, by RDMA %,d (%.3f), throttled %d and %d times%n",
                    what,
                    direct.bytes(),
                    proxied.bytes(),
                    (double) proxied.bytes() / direct.bytes(),
                    direct.throttled(),
                    proxied.throttled());
            assertThat(direct.throttled()).as("%s: throttled directly", what).isPositive();
            assertThat(proxied.throttled()).as("%s: throttled by RDMA", what).isPositive();
            assertThat((double) direct.bytes())
                    .as("%s: bytes directly", what)
                    .isLessThan(bytesASecond * (MINUTE.toSeconds() + WINDOW_SECONDS) * (1 + TOLERANCE));
            assertThat((double) proxied.bytes())
                    .as("%s: bytes by RDMA", what)
                    .isBetween(direct.bytes() * (1 - TOLERANCE), direct.bytes() * (1 + TOLERANCE));
        }
    }

    private Pair pair(QuotaClient direct, QuotaClient proxied) {
        clients.add(direct);
        clients.add(proxied);
        return new Pair(direct, proxied);
    }

    private void run(RequestTime... times) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients.size());
        try {
            List<Future<?>> runs = new ArrayList<>();
            long endNs = System.nanoTime() + MINUTE.toNanos();
            for (QuotaClient client : clients) {
                runs.add(threads.submit(() -> {
                    client.runUntil(endNs);
                    return null;
                }));
            }
            while (endNs - System.nanoTime() > 0) {
                TimeUnit.SECONDS.sleep(1);
                for (RequestTime time : times) {
                    time.sample();
                }
            }
            for (Future<?> run : runs) {
                run.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
            for (QuotaClient client : clients) {
                client.close();
            }
        }
    }

    private static ProxyProcess proxy(SecureBroker broker, String upstream, String protocol) {
        return ProxyProcess.builder(upstream)
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString())
                .property("security.protocol", protocol)
                .start();
    }

    private static void limit(SecureBroker broker) throws Exception {
        List<ClientQuotaAlteration> quotas = new ArrayList<>();
        for (String clientId : List.of("direct", "proxied")) {
            quotas.add(bytes(new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, clientId))));
        }
        for (String user : List.of("alice", "bob")) {
            quotas.add(bytes(new ClientQuotaEntity(Map.of(ClientQuotaEntity.USER, user))));
        }
        for (String clientId : List.of("direct-requests", "proxied-requests")) {
            quotas.add(new ClientQuotaAlteration(
                    new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, clientId)),
                    List.of(new ClientQuotaAlteration.Op("request_percentage", REQUEST_PERCENT))));
        }
        broker.admin().alterClientQuotas(quotas).all().get(30, TimeUnit.SECONDS);
    }

    private static ClientQuotaAlteration bytes(ClientQuotaEntity entity) {
        return new ClientQuotaAlteration(
                entity,
                List.of(
                        new ClientQuotaAlteration.Op("producer_byte_rate", PRODUCED_BYTES_A_SECOND),
                        new ClientQuotaAlteration.Op("consumer_byte_rate", FETCHED_BYTES_A_SECOND)));
    }

    private static long byRdma(ProxyProcess proxy, String api) {
        return proxy.metrics().count("slipstream_requests_total", "api", api, "path", "rdma");
    }
}
