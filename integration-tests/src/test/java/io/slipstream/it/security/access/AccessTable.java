// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

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

import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.secured.SecureBroker;
import io.slipstream.harness.secured.SecureListener;
import java.util.ArrayList;
import java.util.List;

/** Each operation and its result for a super user, Alice and Bob, on every listener. */
final class AccessTable {
    private static final String YES = "NONE";
    private static final String NO = "TOPIC_AUTHORIZATION_FAILED";

    private AccessTable() {}

    /** @param rdmaApi API that goes by RDMA if permitted; a Produce does so even if refused */
    private record Row(
            String operation, AccessCase.Script script, String superUser, String alice, String bob, String rdmaApi) {
        AccessCase of(SecureListener listener, String user) {
            String expected = user == null ? superUser : user.equals(SecureBroker.ALICE) ? alice : bob;
            boolean isServed = expected.equals(YES) || "PRODUCE".equals(rdmaApi);
            return new AccessCase(operation, listener, user, script, expected, isServed ? rdmaApi : null);
        }
    }

    private static final List<Row> ROWS = List.of(
            produces("write a topic", produce(OPEN), YES, YES, NO),
            produces("write a topic by its name", produceByName(OPEN), YES, YES, NO),
            produces("write what one may only write", produce(WRITABLE), YES, YES, NO),
            produces("write what one may only read", produce(READABLE), YES, NO, NO),
            produces("write what one may only know of", produceByName(DESCRIBED), YES, NO, NO),
            produces("write against a denial", produce(DENIED), YES, NO, YES),
            produces("write against a denial of writing", produceByName(WRITE_DENIED), YES, NO, YES),
            produces("write what only another host may", produce(ELSEWHERE), YES, NO, NO),
            produces("write what this host may not", produce(NOT_FROM_HERE), YES, NO, NO),
            produces("write by a prefix", produce(PREFIXED), YES, NO, YES),
            produces("write without a rule", produce(CLOSED), YES, NO, NO),
            produces("write two topics, one without a rule", produce(OPEN, CLOSED), YES, NO, NO),
            produces("write two topics by name", produceByName(WRITABLE, DENIED), YES, NO, NO),
            produces("write as an idempotent producer", produceIdempotent(OPEN), YES, YES, NO),
            produces("write as one where one may not", produceIdempotent(CLOSED), YES, NO, NO),
            new Row("write a topic that is not there", produceMissing(12), "UNKNOWN_TOPIC", NO, NO, null),
            new Row(
                    "write an id that is not there",
                    produceMissing(ProduceRequests.NEWEST),
                    "UNKNOWN_TOPIC_ID",
                    "UNKNOWN_TOPIC_ID",
                    "UNKNOWN_TOPIC_ID",
                    null),
            new Row("write unheard", produce(11, 0, OPEN), "answered", "answered", "closed", null),
            new Row("write unheard without a rule", produce(11, 0, CLOSED), "answered", "closed", "closed", null),
            new Row(
                    "write into somebody's transaction",
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
            reads("read what one may only read", fetch(READABLE), YES, YES, YES),
            reads("read what one may only write", fetch(WRITABLE), YES, NO, NO),
            reads("read what one may only know of", fetchByName(DESCRIBED), YES, NO, NO),
            reads("read against a denial", fetch(DENIED), YES, NO, YES),
            reads("read where writing is denied", fetchByName(WRITE_DENIED), YES, YES, YES),
            reads("read what only another host may", fetch(ELSEWHERE), YES, NO, NO),
            reads("read what this host may not write", fetch(NOT_FROM_HERE), YES, YES, YES),
            reads("read by a prefix", fetchByName(PREFIXED), YES, NO, YES),
            reads("read without a rule", fetch(CLOSED), YES, NO, NO),
            reads("read two topics", fetch(READABLE, WRITE_DENIED), YES, YES, YES),
            reads("read two topics, one without a rule", fetch(READABLE, CLOSED), YES, NO, NO),
            reads("read two topics by name, one denied", fetchByName(DENIED, READABLE), YES, NO, YES),
            reads("read what is committed", fetchCommitted(READABLE), YES, YES, YES),
            reads("read what is committed without a rule", fetchCommitted(CLOSED), YES, NO, NO),
            reads("wait for records", fetchAtTheEnd(READABLE), YES, YES, YES),
            reads("wait for records without a rule", fetchAtTheEnd(CLOSED), YES, NO, NO),
            new Row("read a topic that is not there", fetchMissing(12), "UNKNOWN_TOPIC", NO, NO, null),
            new Row("read an id that is not there", fetchMissing(17), "UNKNOWN_TOPIC_ID", "ID", "ID", null),
            new Row("ask for offsets", listOffsets(DESCRIBED), "errorCode=0", "errorCode=0", "errorCode=0", null),
            new Row("ask for offsets without a rule", listOffsets(CLOSED), "errorCode=0", "=29", "=29", null),
            new Row("know of a topic", metadata(DESCRIBED), "errorCode=0", "errorCode=0", "errorCode=0", null),
            new Row("know of a topic without a rule", metadata(CLOSED), "errorCode=0", "=29", "=29", null));

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
        for (SecureListener listener : List.of(SecureListener.MUTUAL, SecureListener.SASL, SecureListener.SASL_TLS)) {
            add(cases, listener, SecureBroker.ALICE, SecureBroker.BOB);
        }
        return cases;
    }

    private static void add(List<AccessCase> cases, SecureListener listener, String... users) {
        for (String user : users) {
            for (Row row : ROWS) {
                cases.add(row.of(listener, user));
            }
        }
    }
}
