// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.it.TailLatency;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each call of the authorizer takes 50 ms. Nobody waits for the questions of others. */
@Timeout(180)
class SlowAuthorizerIT {
    private static final String ALICE = SecureBroker.ALICE;
    private static final String BOB = SecureBroker.BOB;
    private static final int LEASE_MS = Patience.ms(2_000);
    private static final int PARTITIONS = 40;
    /** Enough that the p99 is not the longest of all. */
    private static final int ROUNDS = 120;

    private static final int LIFETIME_MS = 5_000;
    private static final int READERS = 8;
    private static final String[] GAUGES = {
        "Regions",
        "SegmentBytes",
        "SlotsInUse",
        "SessionsOpen",
        "CreditsInUse",
        "RingBytesInUse",
        "RequestsStuck",
        "QuestionsWaiting"
    };

    private final TempDirectory directory = TempDirectory.create("ss-a");
    private SecureBroker broker;
    private ProxyProcess proxy;
    private RawTopics topics;
    private PluginCounts plugin;

    private void start(String... properties) throws IOException {
        String agent = SlowAuthorizer.jvmArgument(directory);
        broker = SecureBroker.start(BrokerLine.NEWEST, settings -> {
            settings.jvmArgument(agent)
                    .property("authorizer.class.name", SlowAuthorizer.class.getName())
                    .property("slipstream.lease.ms", Integer.toString(LEASE_MS))
                    // The records have timestamps years ago.
                    .property("log.retention.ms", "-1");
            for (int i = 0; i < properties.length; i += 2) {
                settings.property(properties[i], properties[i + 1]);
            }
            return settings;
        });
        proxy = ProxyProcess.builder(broker.bootstrapServers(SecureListener.SASL))
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString())
                .property("event.loops", "1")
                .start();
        topics = new RawTopics(broker.process().bootstrapServers());
        plugin = PluginCounts.of(broker.process());
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : Arrays.asList(plugin, topics, proxy, broker, directory)) {
            if (each != null) {
                each.close();
            }
        }
    }

    private TopicRef topic(String name, int partitions) throws IOException {
        TopicRef topic = topics.create(name, partitions);
        for (String user : List.of(ALICE, BOB)) {
            broker.allow(user, topic.name(), AclOperation.DESCRIBE, AclOperation.READ, AclOperation.WRITE);
        }
        try (RawClient writer = RawClient.connect(broker.process().bootstrapServers())) {
            for (int partition = 0; partition < partitions; partition++) {
                for (int i = 0; i < 2; i++) {
                    produce(writer, topic, partition);
                }
            }
        }
        return topic;
    }

    private static void produce(RawClient client, TopicRef topic, int partition) throws IOException {
        client.send(ProduceRequests.version(ProduceRequests.NEWEST, 1)
                .add(topic, partition, Batches.of(new byte[100]))
                .frame());
        ProduceResponseData answer = client.receive().as(ProduceResponseData.class);
        assertThat(answer.responses()
                        .iterator()
                        .next()
                        .partitionResponses()
                        .get(0)
                        .errorCode())
                .isZero();
    }

    /** Fetches a record of each of the first partitions. */
    private static void fetch(RawClient client, TopicRef topic, int partitions, int offset) throws IOException {
        FetchRequests request = FetchRequests.version(FetchRequests.NEWEST);
        for (int partition = 0; partition < partitions; partition++) {
            request.add(topic, partition, offset);
        }
        client.send(request.frame());
        assertThat(client.receive()
                        .as(FetchResponseData.class)
                        .responses()
                        .get(0)
                        .partitions())
                .hasSize(partitions)
                .allSatisfy(answer -> assertThat(answer.errorCode()).isZero())
                .allSatisfy(answer -> assertThat(answer.records().sizeInBytes()).isPositive());
    }

    private RawClient connect(String bootstrap, String user) throws IOException {
        RawClient client = RawClient.connect(SaslClient.onlyBroker(bootstrap, user));
        SaslClient.authenticate(client, user);
        return client;
    }

    private CompletableFuture<TailLatency> measure(TailLatency.Request request) {
        return CompletableFuture.supplyAsync(() -> {
            try (RawClient direct = connect(broker.bootstrapServers(SecureListener.SASL), BOB);
                    RawClient proxied = connect(proxy.bootstrapServers(), BOB)) {
                // Until its connection is bound.
                TailLatency.of(direct, proxied, ROUNDS / 2, request);
                return TailLatency.of(direct, proxied, ROUNDS, request);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Alice asks for forty partitions at other offsets each time, so that each of them is located again. */
    @Test
    void shouldServeOthersAsTheBrokerDoes() throws Exception {
        start();
        TopicRef many = topic("many", PARTITIONS);
        TopicRef one = topic("one", 1);
        try (RawClient alice = connect(proxy.bootstrapServers(), ALICE)) {
            List<CompletableFuture<TailLatency>> times = List.of(
                    measure((client, round) -> produce(client, one, 0)),
                    measure((client, round) -> fetch(client, one, 1, round % 2)));
            PathCounts before = PathCounts.in(proxy.metrics());
            Deadline deadline = Deadline.after(Patience.ofSeconds(60));
            for (int i = 0; !times.stream().allMatch(CompletableFuture::isDone) && !deadline.isOver(); i++) {
                fetch(alice, many, PARTITIONS, i % 2);
            }
            List<TailLatency> latencies =
                    times.stream().map(CompletableFuture::join).toList();
            PathCounts since = PathCounts.in(proxy.metrics()).since(before);
            System.out.printf("produce: %s; fetch elsewhere: %s; %s%n", latencies.get(0), latencies.get(1), since);
            latencies.forEach(TailLatency::verify);
            assertThat(since.rdmaShare()).as("%s", since).isGreaterThan(0.8);
        }
        awaitNothingHeld();
    }

    /** The plugin asks about each of bob's connections meanwhile, which takes a fifth of a lease. */
    @Test
    void shouldEndTheReadsOfASessionThatExpires() throws Exception {
        start("connections.max.reauth.ms", Integer.toString(LIFETIME_MS));
        TopicRef topic = topic("expires", 1);
        List<RawClient> others = new ArrayList<>();
        long expiryNs = 0;
        long lastServedNs = 0;
        try (RawClient writer = RawClient.connect(broker.process().bootstrapServers());
                RawClient reader = RawClient.connect(SaslClient.onlyBroker(proxy.bootstrapServers(), ALICE))) {
            for (int i = 0; i < READERS; i++) {
                others.add(connect(proxy.bootstrapServers(), BOB));
                fetch(others.get(i), topic, 1, 0);
            }
            expiryNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SaslClient.authenticate(reader, ALICE));
            Deadline deadline = Deadline.after(Patience.ofSeconds(30));
            long offset = 0;
            while (!deadline.isOver()) {
                RawRecords.produce(writer, topic, "before");
                long sentNs = System.nanoTime();
                offset = RawRecords.fetch(reader, topic, offset);
                lastServedNs = sentNs;
            }
            throw new AssertionError("still served, at offset " + offset);
        } catch (EOFException | SocketException closed) {
            // As a broker does.
        } finally {
            for (RawClient other : others) {
                other.close();
            }
        }
        long lateMs = TimeUnit.NANOSECONDS.toMillis(lastServedNs - expiryNs);
        System.out.printf("the last Fetch that was served began %d ms after the expiry%n", lateMs);
        assertThat(lateMs).as("ms").isBetween(-LIFETIME_MS / 2L, LEASE_MS + 1_000L);
        assertThat(PathCounts.in(proxy.metrics()).rdmaFetched()).isGreaterThan(10);
        awaitNothingHeld();
    }

    private void awaitNothingHeld() {
        boolean none = Deadline.after(Patience.of(Duration.ofSeconds(20)))
                .await(() -> Stream.of(GAUGES).allMatch(name -> plugin.gauge(name) == 0));
        assertThat(none)
                .as(() -> "held: "
                        + Stream.of(GAUGES)
                                .map(name -> name + '=' + plugin.gauge(name))
                                .toList())
                .isTrue();
    }
}
