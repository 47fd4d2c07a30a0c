// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * ACL changes while clients use RDMA. Within a lease the clients get the broker's own refusal, and the proxy reads no
 * further record. A client of another user, with the same slot on the same link, reads on.
 */
@Timeout(180)
class AclChangeIT {
    private static final String ALICE = SecureBroker.ALICE;
    private static final String BOB = SecureBroker.BOB;
    private static final int LEASE_MS = Patience.ms(2_000);
    /** After the broker's own refusal, which shows that it knows the change; for a busy machine. */
    private static final long SLACK_NS = Patience.of(Duration.ofMillis(700)).toNanos();

    private static final Duration PATIENCE = Patience.ofSeconds(20);

    private SecureBroker broker;
    private ProxyProcess proxy;
    private RawTopics topics;
    private TopicRef topic;
    private String address;

    private void start() throws IOException {
        start(settings -> settings);
    }

    private void start(UnaryOperator<BrokerProcess.Builder> adjust) throws IOException {
        broker = SecureBroker.start(
                BrokerLine.NEWEST,
                settings -> adjust.apply(settings.property("slipstream.lease.ms", Integer.toString(LEASE_MS))));
        proxy = ProxyProcess.builder(broker.bootstrapServers(SecureListener.SASL))
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString())
                .property("event.loops", "1")
                .start();
        topics = new RawTopics(broker.process().bootstrapServers());
        topic = topics.create("rules", 1);
        broker.allow(ALICE, topic.name(), AclOperation.DESCRIBE, AclOperation.READ, AclOperation.WRITE);
        broker.allow(BOB, topic.name(), AclOperation.DESCRIBE, AclOperation.READ);
        address = SaslClient.onlyBroker(proxy.bootstrapServers(), ALICE);
    }

    @AfterEach
    void stop() throws IOException {
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

    private interface Change {
        void make() throws Exception;
    }

    private void remove(AclOperation operation) throws Exception {
        AclBinding rule = SecureBroker.rule(ALICE, ResourceType.TOPIC, topic.name(), operation);
        broker.admin().deleteAcls(List.of(rule.toFilter())).all().get(20, TimeUnit.SECONDS);
    }

    private void deny(AclOperation operation) throws Exception {
        broker.admin()
                .createAcls(List.of(new AclBinding(
                        new ResourcePattern(ResourceType.TOPIC, topic.name(), PatternType.LITERAL),
                        new AccessControlEntry("User:" + ALICE, "*", operation, AclPermissionType.DENY))))
                .all()
                .get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldRefuseConsumersAndProducersWithinALease() throws Exception {
        start();
        PathCounts before = PathCounts.in(proxy.metrics());
        CompletableFuture<Long> producing = CompletableFuture.supplyAsync(() -> refusedAtNs(() -> produce(address)));
        assertReadingEnds(() -> remove(AclOperation.READ));

        CompletableFuture<Long> direct = CompletableFuture.supplyAsync(
                () -> refusedAtNs(() -> produce(broker.bootstrapServers(SecureListener.SASL))));
        remove(AclOperation.WRITE);
        assertThat(producing.get(20, TimeUnit.SECONDS) - direct.get(20, TimeUnit.SECONDS))
                .as("nanoseconds from the refusal of a direct Produce to that of one by RDMA")
                .isLessThan(SLACK_NS);

        PathCounts since = PathCounts.in(proxy.metrics()).since(before);
        assertThat(since.rdmaProduced()).isPositive();
        assertThat(since.rdmaFetched()).isPositive();
        assertThat(Files.readString(broker.process().log()))
                .contains("RDMA refused to User:alice: reading topic " + topic.name() + ", not authorized");
    }

    @Test
    void shouldRefuseConsumersAndProducersAfterADenial() throws Exception {
        start();
        CompletableFuture<Long> producing = CompletableFuture.supplyAsync(() -> refusedAtNs(() -> produce(address)));
        assertReadingEnds(() -> deny(AclOperation.READ));
        deny(AclOperation.WRITE);
        producing.get(20, TimeUnit.SECONDS);
    }

    /** The plugin asks about each of bob's connections, which takes a quarter of a lease. */
    @Test
    void shouldRefuseConsumersAlthoughTheAuthorizerIsSlow() throws Exception {
        List<SteadyReader> others = new ArrayList<>();
        try (TempDirectory directory = TempDirectory.create("ss-a")) {
            String agent = SlowAuthorizer.jvmArgument(directory);
            start(settings ->
                    settings.jvmArgument(agent).property("authorizer.class.name", SlowAuthorizer.class.getName()));
            for (int i = 0; i < LEASE_MS / 4 / SlowAuthorizer.CALL_MS; i++) {
                others.add(new SteadyReader(address, BOB, topic));
            }
            CompletableFuture<Long> producing =
                    CompletableFuture.supplyAsync(() -> refusedAtNs(() -> produce(address)));
            assertReadingEnds(() -> remove(AclOperation.READ), TimeUnit.SECONDS.toNanos(1));
            remove(AclOperation.WRITE);
            producing.get(20, TimeUnit.SECONDS);
        } finally {
            others.forEach(SteadyReader::close);
        }
    }

    private void assertReadingEnds(Change change) throws Exception {
        assertReadingEnds(change, SLACK_NS);
    }

    /** Bob reads first, so that the broker checks his right before alice's. */
    private void assertReadingEnds(Change change, long slackNs) throws Exception {
        try (SteadyReader bob = new SteadyReader(address, BOB, topic)) {
            bob.awaitProgress();
            CompletableFuture<Long> direct = CompletableFuture.supplyAsync(() -> refusedAtNs(this::readDirectly));
            long lastServedNs = readWhile(change);

            assertThat(lastServedNs - direct.get(20, TimeUnit.SECONDS))
                    .as("nanoseconds from the broker's own refusal to the last Fetch that was served")
                    .isLessThan(LEASE_MS * 1_000_000L + slackNs);
            PathCounts then = PathCounts.in(proxy.metrics());
            boolean readsByRdma = Deadline.after(PATIENCE)
                    .await(() -> PathCounts.in(proxy.metrics()).since(then).rdmaFetched() > 0);
            assertThat(readsByRdma).as("bob reads on by RDMA").isTrue();
            bob.awaitProgress();
        }
    }

    /**
     * Reads continuously as alice and makes the change meanwhile. Returns when the last successful Fetch was sent.
     */
    private long readWhile(Change change) throws Exception {
        long offset = 0;
        long lastServedNs = System.nanoTime();
        boolean changed = false;
        Deadline settled = Deadline.after(Duration.ofSeconds(2));
        Deadline end = Deadline.after(PATIENCE);
        try (RawClient reader = RawClient.connect(address)) {
            SaslClient.authenticate(reader, ALICE);
            while (!end.isOver()) {
                long sentNs = System.nanoTime();
                offset = RawRecords.fetch(reader, topic, offset);
                lastServedNs = sentNs;
                if (!changed && settled.isOver()) {
                    assertThat(PathCounts.in(proxy.metrics()).rdmaFetched()).isPositive();
                    changed = true;
                    change.make();
                }
            }
        } catch (TopicAuthorizationException refused) {
            assertThat(changed).as("refused before the change").isTrue();
            assertThat(offset).isPositive();
            return lastServedNs;
        }
        throw new AssertionError("still served, at offset " + offset);
    }

    /** Reads as alice, without the proxy. */
    private void readDirectly() throws Exception {
        try (RawClient reader = RawClient.connect(broker.bootstrapServers(SecureListener.SASL))) {
            SaslClient.authenticate(reader, ALICE);
            Deadline end = Deadline.after(PATIENCE.multipliedBy(2));
            for (long offset = 0; !end.isOver(); ) {
                offset = RawRecords.fetch(reader, topic, offset);
            }
        }
    }

    /** Writes as alice until a deadline. */
    private void produce(String to) throws Exception {
        try (RawClient writer = RawClient.connect(to)) {
            SaslClient.authenticate(writer, ALICE);
            Deadline end = Deadline.after(PATIENCE.multipliedBy(2));
            for (int i = 0; !end.isOver(); i++) {
                RawRecords.produce(writer, topic, "value " + i);
            }
        }
    }

    /** Runs the work until the broker refuses it, and returns that time. */
    private static long refusedAtNs(Change work) {
        try {
            work.make();
        } catch (TopicAuthorizationException refused) {
            return System.nanoTime();
        } catch (Exception other) {
            throw new IllegalStateException(other);
        }
        throw new AssertionError("not refused");
    }
}
