// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static io.slipstream.harness.secured.SecureBroker.ALICE;
import static io.slipstream.harness.secured.SecureBroker.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that requests more grants than the broker has is served over TCP. It takes no grant from another user's
 * consumer.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class GrantFloodIT {
    private static final int BATCH_BYTES = 60_000;
    private static final int PARTITIONS = 100;
    /** Enough for thirty of the hundred partitions: without pinned memory a segment counts as a page. */
    private static final int REGISTERED_BYTES = 30 * 4096;

    private static final int ROUNDS = 3;

    @Test
    void shouldServeExcessReadsByTcpAndKeepOthersOnRdma() throws Exception {
        try (SecureBroker broker = SecureBroker.start(
                        BrokerLine.NEWEST,
                        settings -> settings.property("slipstream.registered.bytes", Integer.toString(REGISTERED_BYTES))
                                .property("slipstream.lease.ms", "500")
                                // The records have timestamps years ago.
                                .property("log.retention.ms", "-1"));
                ProxyProcess ofAlice = proxy(broker);
                ProxyProcess ofBob = proxy(broker);
                RawTopics topics = new RawTopics(broker.process().bootstrapServers())) {
            TopicRef many = filled(broker, topics.create("many", PARTITIONS), PARTITIONS);
            TopicRef one = filled(broker, topics.create("one", 1), 1);
            broker.allow(ALICE, many.name(), AclOperation.READ);
            broker.allow(BOB, one.name(), AclOperation.READ);
            try (RawClient flood = connect(ofAlice, ALICE);
                    RawClient calm = connect(ofBob, BOB)) {
                boolean isByRdma = Deadline.after(Patience.ofSeconds(15)).await(() -> {
                    long before = fetches(ofBob, "rdma");
                    fetchUnchecked(calm, one, 0);
                    return fetches(ofBob, "rdma") > before;
                });
                assertThat(isByRdma).as("Bob's fetches go by RDMA").isTrue();
                long bobByTcp = fetches(ofBob, "tcp");
                long bobByRdma = fetches(ofBob, "rdma");

                int rounds = 0;
                for (int round = 0; round < ROUNDS; round++) {
                    for (int partition = 0; partition < PARTITIONS; partition++) {
                        fetch(flood, many, partition);
                        fetch(calm, one, 0);
                        rounds++;
                    }
                }

                assertThat(ofAlice.metrics().count("slipstream_fallbacks_total", "reason", "limit"))
                        .as("Alice's fetches beyond the limit")
                        .isPositive();
                assertThat(fetches(ofAlice, "rdma"))
                        .as("Alice's fetches by RDMA")
                        .isPositive();
                assertThat(fetches(ofBob, "tcp") - bobByTcp)
                        .as("Bob's fetches by TCP, of %d", rounds)
                        .isZero();
                assertThat(fetches(ofBob, "rdma") - bobByRdma).isEqualTo(rounds);
                assertThat(broker.process().log())
                        .content()
                        .as("log of the refusal with principal and reason")
                        .containsPattern("RDMA refused to User:alice: reading .*slipstream.registered.bytes");
            }
        }
    }

    private static ProxyProcess proxy(SecureBroker broker) {
        return ProxyProcess.builder(broker.bootstrapServers(SecureListener.SASL))
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString())
                .property("security.protocol", "SASL_PLAINTEXT")
                .start();
    }

    private static RawClient connect(ProxyProcess proxy, String user) throws IOException {
        RawClient client = RawClient.connect(SaslClient.onlyBroker(proxy.bootstrapServers(), user));
        SaslClient.authenticate(client, user);
        return client;
    }

    private static TopicRef filled(SecureBroker broker, TopicRef topic, int partitions) throws IOException {
        try (RawClient client = RawClient.connect(broker.process().bootstrapServers())) {
            for (int partition = 0; partition < partitions; partition++) {
                client.send(ProduceRequests.version(ProduceRequests.NEWEST, 1)
                        .add(topic, partition, Batches.of(new byte[BATCH_BYTES]))
                        .frame());
                assertThat(client.receive()
                                .as(ProduceResponseData.class)
                                .responses()
                                .iterator()
                                .next()
                                .partitionResponses())
                        .allSatisfy(answer -> assertThat(answer.errorCode()).isZero());
            }
        }
        return topic;
    }

    private static void fetchUnchecked(RawClient client, TopicRef topic, int partition) {
        try {
            fetch(client, topic, partition);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fetches the partition's single batch on either path. */
    private static void fetch(RawClient client, TopicRef topic, int partition) throws IOException {
        client.send(FetchRequests.version(FetchRequests.NEWEST)
                .add(topic, partition, 0)
                .frame());
        PartitionData answer = client.receive()
                .as(FetchResponseData.class)
                .responses()
                .get(0)
                .partitions()
                .get(0);
        assertThat(answer.errorCode()).isZero();
        assertThat(answer.records().sizeInBytes()).isGreaterThan(BATCH_BYTES);
    }

    private static long fetches(ProxyProcess proxy, String path) {
        return proxy.metrics().count("slipstream_requests_total", "api", "FETCH", "path", path);
    }
}
