// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
 * further record.
 */
@Timeout(180)
class AclChangeIT {
    private static final String ALICE = SecureBroker.ALICE;
    private static final int LEASE_MS = Patience.ms(1_000);
    /** Time for the ACL to reach the broker and for a late check of permissions on a busy machine. */
    private static final long SLACK_NS = Patience.ofSeconds(2).toNanos();

    private static final Duration PATIENCE = Patience.ofSeconds(20);

    private SecureBroker broker;
    private ProxyProcess proxy;
    private RawTopics topics;
    private TopicRef topic;
    private String address;

    private void start() throws IOException {
        broker = SecureBroker.start(
                BrokerLine.NEWEST, settings -> settings.property("slipstream.lease.ms", Integer.toString(LEASE_MS)));
        proxy = ProxyProcess.builder(broker.bootstrapServers(SecureListener.SASL))
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        broker.process().slipstreamDirectory().toString())
                .start();
        topics = new RawTopics(broker.process().bootstrapServers());
        topic = topics.create("rules", 1);
        broker.allow(ALICE, topic.name(), AclOperation.DESCRIBE, AclOperation.READ, AclOperation.WRITE);
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
        CompletableFuture<Long> producing = CompletableFuture.supplyAsync(() -> refusedAtNs(this::produceRepeatedly));
        long readUntilNs = readWhile(() -> remove(AclOperation.READ));
        assertThat(readUntilNs)
                .as("nanoseconds after the ACL was removed")
                .isLessThan(LEASE_MS * 1_000_000L + SLACK_NS);

        long goneNs = System.nanoTime();
        remove(AclOperation.WRITE);
        assertThat(producing.get(20, TimeUnit.SECONDS) - goneNs).isLessThan(SLACK_NS);

        PathCounts since = PathCounts.in(proxy.metrics()).since(before);
        assertThat(since.rdmaProduced()).isPositive();
        assertThat(since.rdmaFetched()).isPositive();
        assertThat(Files.readString(broker.process().log()))
                .contains("RDMA refused to User:alice: reading topic " + topic.name() + ", not authorized");
    }

    @Test
    void shouldRefuseConsumersAndProducersAfterADenial() throws Exception {
        start();
        CompletableFuture<Long> producing = CompletableFuture.supplyAsync(() -> refusedAtNs(this::produceRepeatedly));
        long readUntilNs = readWhile(() -> deny(AclOperation.READ));
        assertThat(readUntilNs).isLessThan(LEASE_MS * 1_000_000L + SLACK_NS);
        deny(AclOperation.WRITE);
        producing.get(20, TimeUnit.SECONDS);
    }

    /**
     * Reads continuously, makes the change meanwhile, and returns the time from the change to the send of the last
     * successful Fetch.
     */
    private long readWhile(Change change) throws Exception {
        long offset = 0;
        long lastServedNs = System.nanoTime();
        long changedNs = Long.MAX_VALUE;
        Deadline settled = Deadline.after(Duration.ofSeconds(2));
        Deadline end = Deadline.after(PATIENCE);
        try (RawClient reader = RawClient.connect(address)) {
            SaslClient.authenticate(reader, ALICE);
            while (!end.isOver()) {
                long sentNs = System.nanoTime();
                offset = RawRecords.fetch(reader, topic, offset);
                lastServedNs = sentNs;
                if (changedNs == Long.MAX_VALUE && settled.isOver()) {
                    assertThat(PathCounts.in(proxy.metrics()).rdmaFetched()).isPositive();
                    change.make();
                    changedNs = System.nanoTime();
                }
            }
        } catch (TopicAuthorizationException refused) {
            assertThat(changedNs).as("refused before the change").isNotEqualTo(Long.MAX_VALUE);
            assertThat(offset).isPositive();
            return lastServedNs - changedNs;
        }
        throw new AssertionError("still served, at offset " + offset);
    }

    private void produceRepeatedly() throws Exception {
        try (RawClient writer = RawClient.connect(address)) {
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
