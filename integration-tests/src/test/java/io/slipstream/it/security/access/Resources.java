// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import static io.slipstream.harness.secured.SecureBroker.ALICE;
import static io.slipstream.harness.secured.SecureBroker.BOB;
import static org.apache.kafka.common.acl.AclOperation.ALL;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.acl.AclPermissionType.ALLOW;
import static org.apache.kafka.common.acl.AclPermissionType.DENY;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.ProducerIds;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.harness.secured.SecureBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Topics of one stage, a set per path, and their ACLs. Each contains three records. Only super users may do what no ACL
 * allows.
 */
final class Resources {
    /** Host of ACLs that must not apply to this test's requests. */
    private static final String ANOTHER_HOST = "10.9.9.9";

    private static final int RECORDS = 3;

    /** The purpose of a topic; {@link #rules} defines the ACLs. */
    enum Topic {
        /** All read and write, to warm up a connection's fast path. */
        WARM,
        /** Alice reads and writes, Bob nothing. */
        OPEN,
        /** Alice writes. */
        WRITABLE,
        /** Alice and Bob read. */
        READABLE,
        /** Alice and Bob may describe it. */
        DESCRIBED,
        /** All may do everything, except Alice, who may do nothing. */
        DENIED,
        /** All read and write, but Alice must not write. */
        WRITE_DENIED,
        /** Alice may do everything, from another host. */
        ELSEWHERE,
        /** All may do everything, except writes from this host. */
        NOT_FROM_HERE,
        /** Bob may do everything, by an ACL for a prefix. */
        PREFIXED,
        /** Generated requests change it. Alice may do everything. */
        CHANGED,
        /** No ACL. */
        CLOSED
    }

    private final Map<AccessPath, Map<Topic, TopicRef>> topics = new EnumMap<>(AccessPath.class);

    private Resources() {}

    static Resources create(SecureBroker broker, String stage) throws Exception {
        Resources resources = new Resources();
        List<AclBinding> rules = new ArrayList<>();
        try (RawTopics raw = new RawTopics(broker.process().bootstrapServers());
                RawClient superUser = RawClient.connect(broker.process().bootstrapServers())) {
            // A broker without one refuses foreign transactions for another reason.
            ProducerIds.of(superUser, "of-nobody");
            for (AccessPath path : AccessPath.values()) {
                RingOperations.awaitCoordinator(superUser, transactionalId(stage, path));
                Map<Topic, TopicRef> ofPath = new EnumMap<>(Topic.class);
                for (Topic topic : Topic.values()) {
                    TopicRef created = raw.create(stage + '-' + path.label() + '-' + topic, 1);
                    ofPath.put(topic, created);
                    fill(superUser, created);
                    rules(rules, topic, created.name());
                }
                rules.add(rule(ResourceType.TRANSACTIONAL_ID, transactionalId(stage, path), ALICE, "*", ALL, ALLOW));
                rules.add(rule(ResourceType.GROUP, transactionalId(stage, path), ALICE, "*", ALL, ALLOW));
                for (ResourceType type :
                        List.of(ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID)) {
                    rules.add(prefixed(type, generatedPrefix(stage, path), ALICE));
                }
                resources.topics.put(path, ofPath);
            }
        }
        broker.admin().createAcls(rules).all().get(30, TimeUnit.SECONDS);
        return resources;
    }

    private static void rules(List<AclBinding> rules, Topic topic, String name) {
        switch (topic) {
            case WARM -> allow(rules, name, "*", READ, WRITE);
            case OPEN -> allow(rules, name, ALICE, READ, WRITE);
            case WRITABLE -> allow(rules, name, ALICE, WRITE);
            case READABLE -> {
                allow(rules, name, ALICE, READ);
                allow(rules, name, BOB, READ);
            }
            case DESCRIBED -> {
                allow(rules, name, ALICE, DESCRIBE);
                allow(rules, name, BOB, DESCRIBE);
            }
            case DENIED -> {
                allow(rules, name, "*", ALL);
                rules.add(rule(ResourceType.TOPIC, name, ALICE, "*", ALL, DENY));
            }
            case WRITE_DENIED -> {
                allow(rules, name, "*", READ, WRITE);
                rules.add(rule(ResourceType.TOPIC, name, ALICE, "*", WRITE, DENY));
            }
            case ELSEWHERE -> rules.add(rule(ResourceType.TOPIC, name, ALICE, ANOTHER_HOST, ALL, ALLOW));
            case NOT_FROM_HERE -> {
                allow(rules, name, "*", ALL);
                rules.add(rule(ResourceType.TOPIC, name, "*", "127.0.0.1", WRITE, DENY));
            }
            case PREFIXED -> rules.add(prefixed(ResourceType.TOPIC, name.substring(0, name.length() - 1), BOB));
            case CHANGED -> allow(rules, name, ALICE, ALL);
            case CLOSED -> {}
        }
    }

    private static void allow(List<AclBinding> rules, String topic, String user, AclOperation... operations) {
        for (AclOperation operation : operations) {
            rules.add(rule(ResourceType.TOPIC, topic, user, "*", operation, ALLOW));
        }
    }

    private static AclBinding prefixed(ResourceType type, String prefix, String user) {
        return new AclBinding(
                new ResourcePattern(type, prefix, PatternType.PREFIXED),
                new AccessControlEntry("User:" + user, "*", ALL, ALLOW));
    }

    private static AclBinding rule(
            ResourceType type,
            String name,
            String user,
            String host,
            AclOperation operation,
            AclPermissionType permission) {
        return new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:" + user, host, operation, permission));
    }

    private static void fill(RawClient superUser, TopicRef topic) throws IOException {
        byte[][] values = new byte[RECORDS][];
        for (int i = 0; i < RECORDS; i++) {
            values[i] = ("first-" + i).getBytes(StandardCharsets.US_ASCII);
        }
        ProduceResponseData response = superUser
                .call(
                        ProduceRequests.NEWEST,
                        ProduceRequests.version(ProduceRequests.NEWEST, -1)
                                .add(topic, 0, Batches.of(values))
                                .data())
                .as(ProduceResponseData.class);
        assertThat(response.responses().iterator().next().partitionResponses())
                .allSatisfy(partition -> assertThat(partition.errorCode()).isZero());
    }

    TopicRef topic(AccessPath path, Topic topic) {
        return topics.get(path).get(topic);
    }

    /** The only transactional id, and the only group, that any user (Alice) may use. */
    static String transactionalId(String stage, AccessPath path) {
        return stage + '-' + path.label() + "-of-alice";
    }

    /** Begin of names in generated requests. Alice may use such topics, groups and transactional ids. */
    static String generatedPrefix(String stage, AccessPath path) {
        return stage + '-' + path.label() + "-generated-";
    }

    /** Removes topic names and ids, which differ between paths. */
    String normalize(AccessPath path, String text) {
        String same = text;
        for (Map.Entry<Topic, TopicRef> topic : topics.get(path).entrySet()) {
            same = same.replace(topic.getValue().name(), topic.getKey().name())
                    .replace(topic.getValue().id().toString(), topic.getKey() + "-id");
        }
        return same.replace(Uuid.ZERO_UUID.toString(), "no-id");
    }
}
