// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

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
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics and principals that the broker's settings exclude from RDMA. */
@Timeout(180)
class ExcludedIT {
    private static final String ALICE = SecureBroker.ALICE;
    private static final String BOB = SecureBroker.BOB;
    private static final int MANY = 30;

    private static SecureBroker broker;
    private static ProxyProcess proxy;
    private static RawTopics topics;

    @BeforeAll
    static void start() throws IOException {
        broker = SecureBroker.start(
                BrokerLine.NEWEST,
                settings -> settings.property("slipstream.topics.excluded", "payments,secret-*")
                        .property("slipstream.principals.excluded", "User:" + BOB));
        proxy = ProxyProcess.builder(broker.bootstrapServers(SecureListener.SASL))
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString())
                .start();
        topics = new RawTopics(broker.process().bootstrapServers());
    }

    @AfterAll
    static void stop() throws IOException {
        if (topics != null) {
            topics.close();
        }
        if (proxy != null) {
            proxy.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    private static TopicRef topic(String name) throws IOException {
        TopicRef topic = topics.create(name, 1);
        for (String user : List.of(ALICE, BOB)) {
            broker.allow(user, topic.name(), AclOperation.DESCRIBE, AclOperation.READ, AclOperation.WRITE);
        }
        return topic;
    }

    private static PathCounts counts() {
        return PathCounts.in(proxy.metrics());
    }

    /** Versions with topic names, and with topic ids. */
    @ParameterizedTest
    @ValueSource(ints = {9, 13})
    void shouldLeaveATopicToTcpAndKeepOrder(int version) throws Exception {
        TopicRef open = topic("open");
        TopicRef secret = topic("secret");
        String address = SaslClient.onlyBroker(proxy.bootstrapServers(), ALICE);
        List<String> sent = new ArrayList<>();
        try (RawClient client = RawClient.connect(address)) {
            SaslClient.authenticate(client, ALICE);
            produceUntilByRdma(client, open, sent);
            PathCounts before = counts();
            for (int i = 0; i < MANY; i++) {
                client.send(produce(version, open, "open " + i).frame());
                sent.add("open " + i);
                if (i == MANY / 2) {
                    // One request with both topics: its records of the open topic must keep their place in the order.
                    client.send(produce(version, open, "both")
                            .add(secret, 0, batch("both"))
                            .frame());
                    sent.add("both");
                }
            }
            for (int i = 0; i <= MANY; i++) {
                client.receive()
                        .as(ProduceResponseData.class)
                        .responses()
                        .forEach(topic -> assertThat(
                                        topic.partitionResponses().get(0).errorCode())
                                .isZero());
            }
            assertThat(values(client, open)).isEqualTo(sent);
            PathCounts since = counts().since(before);
            assertThat(since.rdmaProduced()).isBetween(MANY / 2L, 1L + MANY / 2);
            assertThat(since.tcpProduced())
                    .as("records by TCP: the other single ones, and two of the request with both topics")
                    .isEqualTo(MANY + 2 - since.rdmaProduced());
            assertThat(values(client, secret)).containsExactly("both");
            assertThat(counts().since(before).tcpFetched()).isEqualTo(1);
        }
    }

    @Test
    void shouldLeaveAPrincipalToTcp() throws Exception {
        TopicRef open = topic("open");
        String address = SaslClient.onlyBroker(proxy.bootstrapServers(), BOB);
        PathCounts before = counts();
        try (RawClient client = RawClient.connect(address)) {
            SaslClient.authenticate(client, BOB);
            RawRecords.produce(client, open, "value");
            assertThat(RawRecords.fetch(client, open, 0)).isEqualTo(1);
        }
        assertThat(counts().since(before)).isEqualTo(new PathCounts(0, 0, 1, 1));
        assertThat(proxy.metrics().count("slipstream_fallbacks_total", "reason", "rdma_off"))
                .isPositive();
        assertThat(Files.readString(broker.process().log()))
                .contains(
                        "RDMA refused to User:bob: binding its connection, slipstream.principals.excluded names User:bob");
    }

    /** A connection takes TCP until the broker has bound it to a link. */
    private static void produceUntilByRdma(RawClient client, TopicRef topic, List<String> sent) throws IOException {
        long byRdma = counts().rdmaProduced();
        for (Deadline deadline = Deadline.after(Patience.ofSeconds(20)); counts().rdmaProduced() == byRdma; ) {
            assertThat(deadline.isOver()).as("no record by RDMA").isFalse();
            RawRecords.produce(client, topic, "first");
            sent.add("first");
        }
    }

    private static ProduceRequests produce(int version, TopicRef topic, String value) {
        return ProduceRequests.version(version, 1).add(topic, 0, batch(value));
    }

    private static MemoryRecords batch(String value) {
        return Batches.of(value.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> values(RawClient client, TopicRef topic) throws IOException {
        FetchResponseData answer = client.call(
                12, FetchRequests.version(12).minBytes(1, 500).add(topic, 0, 0).data(), FetchResponseData.class);
        List<String> values = new ArrayList<>();
        MemoryRecords records =
                (MemoryRecords) answer.responses().get(0).partitions().get(0).records();
        for (Record record : records.records()) {
            values.add(StandardCharsets.UTF_8.decode(record.value()).toString());
        }
        return values;
    }
}
