// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import static io.slipstream.it.security.access.GeneratedOperations.generated;
import static io.slipstream.it.security.access.Operations.fetch;
import static io.slipstream.it.security.access.Operations.fetchAtTheEnd;
import static io.slipstream.it.security.access.Operations.fetchByName;
import static io.slipstream.it.security.access.Operations.fetchCommitted;
import static io.slipstream.it.security.access.Operations.fetchMissing;
import static io.slipstream.it.security.access.Operations.listOffsets;
import static io.slipstream.it.security.access.Operations.metadata;
import static io.slipstream.it.security.access.Operations.produce;
import static io.slipstream.it.security.access.Operations.produceByName;
import static io.slipstream.it.security.access.Operations.produceIdempotent;
import static io.slipstream.it.security.access.Operations.produceIntoForeignTransaction;
import static io.slipstream.it.security.access.Operations.produceMissing;
import static io.slipstream.it.security.access.Operations.transaction;
import static io.slipstream.it.security.access.Resources.Topic.CLOSED;
import static io.slipstream.it.security.access.Resources.Topic.DENIED;
import static io.slipstream.it.security.access.Resources.Topic.DESCRIBED;
import static io.slipstream.it.security.access.Resources.Topic.ELSEWHERE;
import static io.slipstream.it.security.access.Resources.Topic.NOT_FROM_HERE;
import static io.slipstream.it.security.access.Resources.Topic.OPEN;
import static io.slipstream.it.security.access.Resources.Topic.PREFIXED;
import static io.slipstream.it.security.access.Resources.Topic.READABLE;
import static io.slipstream.it.security.access.Resources.Topic.WRITABLE;
import static io.slipstream.it.security.access.Resources.Topic.WRITE_DENIED;
import static io.slipstream.it.security.access.RingOperations.changeConfiguration;
import static io.slipstream.it.security.access.RingOperations.commit;
import static io.slipstream.it.security.access.RingOperations.createTopic;
import static io.slipstream.it.security.access.RingOperations.describeAcls;
import static io.slipstream.it.security.access.RingOperations.describeGroup;
import static io.slipstream.it.security.access.RingOperations.fetchCommittedOffset;
import static io.slipstream.it.security.access.RingOperations.findCoordinator;
import static io.slipstream.it.security.access.RingOperations.joinGroup;

import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import io.slipstream.it.generated.ApiVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/** Each operation and its result for a super user, Alice and Bob, on every listener. */
final class AccessTable {
    private static final String YES = "NONE";
    private static final String NO = "TOPIC_AUTHORIZATION_FAILED";

    private AccessTable() {}

    /** @param rdmaApi API that goes by RDMA; a Fetch only if it is permitted */
    private record Row(
            String operation, AccessCase.Script script, String superUser, String alice, String bob, String rdmaApi) {
        AccessCase of(SecureListener listener, String user) {
            String expected = user == null ? superUser : user.equals(SecureBroker.ALICE) ? alice : bob;
            boolean isServed = expected.equals(YES) || !"FETCH".equals(rdmaApi);
            return new AccessCase(operation, listener, user, script, expected, isServed ? rdmaApi : null);
        }
    }

    private static final List<SecureListener> USERS_LISTENERS =
            List.of(SecureListener.MUTUAL, SecureListener.SASL, SecureListener.SASL_TLS);

    private static final List<Row> ROWS = List.of(
            produces("write a topic", produce(OPEN), YES, YES, NO),
            produces("write a topic by its name", produceByName(OPEN), YES, YES, NO),
            produces("write a write-only topic", produce(WRITABLE), YES, YES, NO),
            produces("write a read-only topic", produce(READABLE), YES, NO, NO),
            produces("write a describe-only topic", produceByName(DESCRIBED), YES, NO, NO),
            produces("write a denied topic", produce(DENIED), YES, NO, YES),
            produces("write a topic with writing denied", produceByName(WRITE_DENIED), YES, NO, YES),
            produces("write a topic of another host", produce(ELSEWHERE), YES, NO, NO),
            produces("write a topic denied to this host", produce(NOT_FROM_HERE), YES, NO, NO),
            produces("write by a prefixed ACL", produce(PREFIXED), YES, NO, YES),
            produces("write without an ACL", produce(CLOSED), YES, NO, NO),
            produces("write two topics, one without an ACL", produce(OPEN, CLOSED), YES, NO, NO),
            produces("write two topics by name", produceByName(WRITABLE, DENIED), YES, NO, NO),
            produces("write idempotently", produceIdempotent(OPEN), YES, YES, NO),
            produces("write idempotently without an ACL", produceIdempotent(CLOSED), YES, NO, NO),
            new Row("write a missing topic", produceMissing(12), "UNKNOWN_TOPIC", NO, NO, null),
            new Row(
                    "write a missing topic id",
                    produceMissing(ProduceRequests.NEWEST),
                    "UNKNOWN_TOPIC_ID",
                    "UNKNOWN_TOPIC_ID",
                    "UNKNOWN_TOPIC_ID",
                    null),
            new Row("write with acks=0", produce(11, 0, OPEN), "answered", "answered", "closed", null),
            new Row("write with acks=0 without an ACL", produce(11, 0, CLOSED), "answered", "closed", "closed", null),
            new Row(
                    "write into another user's transaction",
                    produceIntoForeignTransaction(OPEN),
                    "INVALID_PRODUCER_ID_MAPPING",
                    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
                    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
                    null),
            new Row(
                    "a transaction of Alice's",
                    transaction(OPEN),
                    "end NONE",
                    "end NONE",
                    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
                    null),
            reads("read a topic", fetch(OPEN), YES, YES, NO),
            reads("read a topic by its name", fetchByName(OPEN), YES, YES, NO),
            reads("read a read-only topic", fetch(READABLE), YES, YES, YES),
            reads("read a write-only topic", fetch(WRITABLE), YES, NO, NO),
            reads("read a describe-only topic", fetchByName(DESCRIBED), YES, NO, NO),
            reads("read a denied topic", fetch(DENIED), YES, NO, YES),
            reads("read a topic with writing denied", fetchByName(WRITE_DENIED), YES, YES, YES),
            reads("read a topic of another host", fetch(ELSEWHERE), YES, NO, NO),
            reads("read a topic with writing denied to this host", fetch(NOT_FROM_HERE), YES, YES, YES),
            reads("read by a prefixed ACL", fetchByName(PREFIXED), YES, NO, YES),
            reads("read without an ACL", fetch(CLOSED), YES, NO, NO),
            reads("read two topics", fetch(READABLE, WRITE_DENIED), YES, YES, YES),
            reads("read two topics, one without an ACL", fetch(READABLE, CLOSED), YES, NO, NO),
            reads("read two topics by name, one denied", fetchByName(DENIED, READABLE), YES, NO, YES),
            reads("read committed records", fetchCommitted(READABLE), YES, YES, YES),
            reads("read committed records without an ACL", fetchCommitted(CLOSED), YES, NO, NO),
            reads("wait for records", fetchAtTheEnd(READABLE), YES, YES, YES),
            reads("wait for records without an ACL", fetchAtTheEnd(CLOSED), YES, NO, NO),
            new Row("read a missing topic", fetchMissing(12), "UNKNOWN_TOPIC", NO, NO, null),
            new Row("read a missing topic id", fetchMissing(17), "UNKNOWN_TOPIC_ID", "ID", "ID", null),
            asks("list offsets", listOffsets(DESCRIBED), "=0", "=0", "=0", "LIST_OFFSETS"),
            asks("list offsets without an ACL", listOffsets(CLOSED), "=0", "=29", "=29", "LIST_OFFSETS"),
            asks("describe a topic", metadata(DESCRIBED), "=0", "=0", "=0", "METADATA"),
            asks("describe a topic without an ACL", metadata(CLOSED), "=0", "=29", "=29", "METADATA"),
            asks("find Alice's group", findCoordinator(), "=0", "=0", "=30", "FIND_COORDINATOR"),
            asks("join Alice's group", joinGroup(), "=79", "=79", "=30", "JOIN_GROUP"),
            asks("commit for Alice's group", commit(READABLE), "=0", "=0", "=30", "OFFSET_COMMIT"),
            asks("commit for a closed topic", commit(CLOSED), "=0", "=29", "=30", "OFFSET_COMMIT"),
            asks("read offsets", fetchCommittedOffset(READABLE), "=0", "=0", "=30", "OFFSET_FETCH"),
            asks("describe Alice's group", describeGroup(), "=0", "=0", "=30", "DESCRIBE_GROUPS"),
            asks("create a topic", createTopic(), "=0", "=29", "=29", "CREATE_TOPICS"),
            asks("change a topic", changeConfiguration(OPEN), "=0", "=29", "=29", "INCREMENTAL_ALTER_CONFIGS"),
            asks("describe ACLs", describeAcls(), "=0", "=31", "=31", "DESCRIBE_ACLS"),
            asks("generated requests of the ring", generated(ApiVersion.ofRing()), "=0", "=0", "=29", null),
            asks(
                    "generated requests beside the ring",
                    generated(ApiVersion.besideTheRing()),
                    "=0",
                    "=31",
                    "=31",
                    null));

    /** The results are error codes. */
    private static Row asks(
            String operation, AccessCase.Script script, String superUser, String alice, String bob, String api) {
        String code = "errorCode";
        return new Row(operation, script, code + superUser, code + alice, code + bob, api);
    }

    private static Row produces(
            String operation, AccessCase.Script script, String superUser, String alice, String bob) {
        return new Row(operation, script, superUser, alice, bob, "PRODUCE");
    }

    private static Row reads(String operation, AccessCase.Script script, String superUser, String alice, String bob) {
        return new Row(operation, script, superUser, alice, bob, "FETCH");
    }

    /** In the order of stages: by listener, then by user. */
    static List<AccessCase> cases() {
        List<AccessCase> cases = new ArrayList<>();
        add(cases, null, new String[] {null});
        add(cases, SecureListener.TLS, new String[] {null});
        for (SecureListener listener : USERS_LISTENERS) {
            add(cases, listener, SecureBroker.ALICE, SecureBroker.BOB);
        }
        return cases;
    }

    /** Returns each operation of two users, each on one listener. The seed selects users and listeners. */
    static List<AccessCase> sample(long seed) {
        Random random = new Random(seed);
        String userLeftOut =
                Arrays.asList(null, SecureBroker.ALICE, SecureBroker.BOB).get(random.nextInt(3));
        SecureListener listenerLeftOut = USERS_LISTENERS.get(random.nextInt(USERS_LISTENERS.size()));
        List<AccessCase> all = cases();
        Map<List<String>, List<AccessCase>> byUser = new LinkedHashMap<>();
        for (AccessCase each : all) {
            if (!Objects.equals(each.user(), userLeftOut) && each.listener() != listenerLeftOut) {
                byUser.computeIfAbsent(Arrays.asList(each.user(), each.operation()), any -> new ArrayList<>())
                        .add(each);
            }
        }
        Set<AccessCase> sample = new HashSet<>();
        byUser.values().forEach(onListeners -> sample.add(onListeners.get(random.nextInt(onListeners.size()))));
        return all.stream().filter(sample::contains).toList();
    }

    private static void add(List<AccessCase> cases, SecureListener listener, String... users) {
        for (String user : users) {
            for (Row row : ROWS) {
                cases.add(row.of(listener, user));
            }
        }
    }
}
