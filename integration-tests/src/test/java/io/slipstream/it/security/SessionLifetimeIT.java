// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Session expiry (KIP-368): RDMA requests end with the session, or continue after reauthentication. */
@Timeout(180)
class SessionLifetimeIT {
    private static final String ALICE = SecureBroker.ALICE;
    private static final int LIFETIME_MS = 4_000;
    private static final Duration PATIENCE = Patience.ofSeconds(30);

    private static SecureBroker broker;
    private static ProxyProcess proxy;
    private static RawTopics topics;

    @BeforeAll
    static void start() throws Exception {
        broker = SecureBroker.start(
                BrokerLine.NEWEST,
                // Test batches have timestamps years ago, so the broker would delete them half a minute after its
                // start.
                settings -> settings.property("log.retention.ms", "-1")
                        .property("connections.max.reauth.ms", Integer.toString(LIFETIME_MS))
                        .property("slipstream.lease.ms", "400"));
        proxy = ProxyProcess.builder(broker.bootstrapServers(SecureListener.SASL))
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString())
                .start();
        try (Admin admin = Admin.create(clientOfProxy())) {
            assertThat(proxy.awaitLink(admin, PATIENCE)).as("a link").isTrue();
        }
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

    private static TopicRef topic() throws IOException {
        TopicRef topic = topics.create("lifetimes", 1);
        broker.allow(ALICE, topic.name(), AclOperation.DESCRIBE, AclOperation.READ, AclOperation.WRITE);
        return topic;
    }

    private static Map<String, Object> clientOfProxy() {
        Map<String, Object> settings = new HashMap<>(broker.client(SecureListener.SASL, ALICE));
        settings.put("bootstrap.servers", proxy.bootstrapServers());
        return settings;
    }

    private static void await(Deadline time) {
        Awaitility.await().atMost(PATIENCE).until(time::isOver);
    }

    private static PathCounts counts() {
        return PathCounts.in(proxy.metrics());
    }

    @Test
    void shouldServeStockClientsByRdmaAcrossReauthentications() throws Exception {
        TopicRef topic = topic();
        PathCounts before = counts();
        Map<String, Object> settings = clientOfProxy();
        long sent = 0;
        long received = 0;
        double reauthentications;
        try (KafkaProducer<Long, Long> producer =
                        new KafkaProducer<>(settings, new LongSerializer(), new LongSerializer());
                KafkaConsumer<Long, Long> consumer =
                        new KafkaConsumer<>(settings, new LongDeserializer(), new LongDeserializer())) {
            TopicPartition partition = new TopicPartition(topic.name(), 0);
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            AtomicReference<Exception> failed = new AtomicReference<>();
            Deadline end = Deadline.after(Duration.ofMillis(4 * LIFETIME_MS));
            while (!end.isOver() || received < sent) {
                if (!end.isOver()) {
                    producer.send(new ProducerRecord<>(topic.name(), sent, sent), (metadata, failure) -> {
                        if (failure != null) {
                            failed.set(failure);
                        }
                    });
                    sent++;
                }
                for (var record : consumer.poll(Duration.ofMillis(5))) {
                    assertThat(record.value()).isEqualTo(received++);
                }
                assertThat(failed.get()).isNull();
                assertThat(end.remainingNs()).as("%d of %d", received, sent).isGreaterThan(-PATIENCE.toNanos());
            }
            reauthentications = metric(producer.metrics(), "successful-reauthentication-total")
                    + metric(consumer.metrics(), "successful-reauthentication-total");
            assertThat(metric(producer.metrics(), "failed-reauthentication-total")
                            + metric(consumer.metrics(), "failed-reauthentication-total"))
                    .isZero();
        }
        PathCounts since = counts().since(before);
        assertThat(reauthentications)
                .as("reauthentications of both clients, at least three each")
                .isGreaterThanOrEqualTo(6);
        assertThat(since.rdmaProduced()).as("of %d: %s", sent, since).isGreaterThan(sent * 9 / 10);
        assertThat(since.rdmaFetched()).as("of %d: %s", sent, since).isGreaterThan(sent * 3 / 4);
    }

    private static double metric(Map<?, ? extends org.apache.kafka.common.Metric> metrics, String name) {
        return metrics.values().stream()
                .filter(metric -> metric.metricName().name().equals(name)
                        && metric.metricName().tags().keySet().equals(java.util.Set.of("client-id")))
                .mapToDouble(metric -> (Double) metric.metricValue())
                .sum();
    }

    @Test
    void shouldEndTheReadsOfAConsumerThatDoesNotReauthenticate() throws Exception {
        TopicRef topic = topic();
        String address = SaslClient.onlyBroker(proxy.bootstrapServers(), ALICE);
        PathCounts before = counts();
        try (RawClient writer = RawClient.connect(broker.process().bootstrapServers());
                RawClient reader = RawClient.connect(address)) {
            // The broker's session begins after the request was sent, and before the answer is here.
            Deadline earliest = Deadline.after(Duration.ofMillis(LIFETIME_MS));
            Deadline expiry = Deadline.after(Duration.ofMillis(SaslClient.authenticate(reader, ALICE)));
            long offset = 0;
            long lastServedNs = 0;
            try {
                while (!expiry.isOver() || offset >= 0) {
                    RawRecords.produce(writer, topic, "before");
                    long sentNs = System.nanoTime();
                    offset = RawRecords.fetch(reader, topic, offset);
                    lastServedNs = sentNs;
                    assertThat(expiry.remainingNs()).isGreaterThan(-PATIENCE.toNanos());
                }
            } catch (EOFException | java.net.SocketException closed) {
                // As a broker does.
            }
            assertThat(earliest.isOver())
                    .as("the session expired before the connection closed")
                    .isTrue();
            assertThat(offset).isPositive();
            assertThat(lastServedNs - (System.nanoTime() + expiry.remainingNs()))
                    .as("nanoseconds from the expiry to the send of the last successful Fetch")
                    .isLessThan(TimeUnit.MILLISECONDS.toNanos(100));
            assertThat(counts().since(before).rdmaFetched()).isGreaterThan(offset / 2);
        }
    }

    @Test
    void shouldCloseAProducerThatDoesNotReauthenticate() throws Exception {
        TopicRef topic = topic();
        String address = SaslClient.onlyBroker(proxy.bootstrapServers(), ALICE);
        PathCounts before = counts();
        try (RawClient writer = RawClient.connect(address)) {
            Deadline expiry = Deadline.after(Duration.ofMillis(SaslClient.authenticate(writer, ALICE)));
            long written = 0;
            while (expiry.remainingNs() > Duration.ofMillis(LIFETIME_MS / 4).toNanos()) {
                RawRecords.produce(writer, topic, "before");
                written++;
            }
            assertThat(counts().since(before).rdmaProduced()).isGreaterThan(written / 2);
            await(expiry);
            assertThatThrownBy(() -> RawRecords.produce(writer, topic, "after")).isInstanceOf(IOException.class);
            try (RawClient reader = RawClient.connect(broker.process().bootstrapServers())) {
                assertThat(RawRecords.fetch(reader, topic, written))
                        .as("end offset, without the refused record")
                        .isEqualTo(written);
            }
        }
    }

    @Test
    void shouldKeepTheSessionAfterReauthentication() throws Exception {
        TopicRef topic = topic();
        String address = SaslClient.onlyBroker(proxy.bootstrapServers(), ALICE);
        try (RawClient client = RawClient.connect(address)) {
            Deadline renewal = Deadline.after(Duration.ofMillis(LIFETIME_MS * 3 / 4));
            Deadline firstExpiry = Deadline.after(Duration.ofMillis(SaslClient.authenticate(client, ALICE)));
            RawRecords.produce(client, topic, "1");
            await(renewal);
            SaslClient.authenticate(client, ALICE);
            await(firstExpiry);
            PathCounts before = counts();
            RawRecords.produce(client, topic, "2");
            assertThat(RawRecords.fetch(client, topic, 0)).isEqualTo(2);
            assertThat(counts().since(before)).isEqualTo(new PathCounts(1, 2, 0, 0));
        }
    }

    @Test
    void shouldRefuseAnotherPrincipalOnTheSameConnection() throws Exception {
        TopicRef topic = topic();
        String address = SaslClient.onlyBroker(proxy.bootstrapServers(), ALICE);
        try (RawClient client = RawClient.connect(address)) {
            SaslClient.authenticate(client, ALICE);
            // A broker permits one reauthentication per second.
            Deadline permission = Deadline.after(Duration.ofMillis(1_100));
            RawRecords.produce(client, topic, "1");
            await(permission);
            client.call((short) 1, new SaslHandshakeRequestData().setMechanism("PLAIN"));
            SaslAuthenticateResponseData answer =
                    client.call(2, SaslClient.credentials(SecureBroker.BOB), SaslAuthenticateResponseData.class);
            assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.SASL_AUTHENTICATION_FAILED);
            assertThatThrownBy(() -> RawRecords.produce(client, topic, "2")).isInstanceOf(IOException.class);
        }
    }
}
