// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.RequestWritten;
import io.slipstream.history.ClientEvent.ResponseRead;
import io.slipstream.history.Event;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;

/**
 * I11: each connection returns one response per request, in request order, with an error code that Kafka defines for
 * the request.
 */
final class ResponseOrder implements Check {
    private static final int PRODUCE = 0;
    private static final int FETCH = 1;

    /** Error codes of a stock broker for Produce, from Kafka's documentation and code. */
    private static final Set<Errors> PRODUCE_ERRORS = Set.of(
            Errors.UNKNOWN_SERVER_ERROR,
            Errors.CORRUPT_MESSAGE,
            Errors.UNKNOWN_TOPIC_OR_PARTITION,
            Errors.NOT_LEADER_OR_FOLLOWER,
            Errors.REQUEST_TIMED_OUT,
            Errors.MESSAGE_TOO_LARGE,
            Errors.NETWORK_EXCEPTION,
            Errors.COORDINATOR_LOAD_IN_PROGRESS,
            Errors.COORDINATOR_NOT_AVAILABLE,
            Errors.NOT_COORDINATOR,
            Errors.INVALID_TOPIC_EXCEPTION,
            Errors.RECORD_LIST_TOO_LARGE,
            Errors.NOT_ENOUGH_REPLICAS,
            Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
            Errors.INVALID_REQUIRED_ACKS,
            Errors.TOPIC_AUTHORIZATION_FAILED,
            Errors.CLUSTER_AUTHORIZATION_FAILED,
            Errors.INVALID_TIMESTAMP,
            Errors.UNSUPPORTED_VERSION,
            Errors.INVALID_REQUEST,
            Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT,
            Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
            Errors.DUPLICATE_SEQUENCE_NUMBER,
            Errors.INVALID_PRODUCER_EPOCH,
            Errors.INVALID_TXN_STATE,
            Errors.INVALID_PRODUCER_ID_MAPPING,
            Errors.CONCURRENT_TRANSACTIONS,
            Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            Errors.KAFKA_STORAGE_ERROR,
            Errors.UNKNOWN_PRODUCER_ID,
            Errors.UNSUPPORTED_COMPRESSION_TYPE,
            Errors.INVALID_RECORD,
            Errors.PRODUCER_FENCED,
            Errors.UNKNOWN_TOPIC_ID,
            Errors.INCONSISTENT_TOPIC_ID,
            Errors.TRANSACTION_ABORTABLE);

    /** Error codes of a stock broker for Fetch. */
    private static final Set<Errors> FETCH_ERRORS = Set.of(
            Errors.UNKNOWN_SERVER_ERROR,
            Errors.OFFSET_OUT_OF_RANGE,
            Errors.CORRUPT_MESSAGE,
            Errors.UNKNOWN_TOPIC_OR_PARTITION,
            Errors.NOT_LEADER_OR_FOLLOWER,
            Errors.REPLICA_NOT_AVAILABLE,
            Errors.INVALID_TOPIC_EXCEPTION,
            Errors.TOPIC_AUTHORIZATION_FAILED,
            Errors.CLUSTER_AUTHORIZATION_FAILED,
            Errors.UNSUPPORTED_VERSION,
            Errors.INVALID_REQUEST,
            Errors.KAFKA_STORAGE_ERROR,
            Errors.FETCH_SESSION_ID_NOT_FOUND,
            Errors.INVALID_FETCH_SESSION_EPOCH,
            Errors.FENCED_LEADER_EPOCH,
            Errors.UNKNOWN_LEADER_EPOCH,
            Errors.UNSUPPORTED_COMPRESSION_TYPE,
            Errors.OFFSET_NOT_AVAILABLE,
            Errors.UNKNOWN_TOPIC_ID,
            Errors.INCONSISTENT_TOPIC_ID,
            Errors.FETCH_SESSION_TOPIC_ID_ERROR,
            Errors.OFFSET_MOVED_TO_TIERED_STORAGE);

    private final Findings findings;
    private final Evidence evidence;
    private final Map<Integer, ArrayDeque<RequestWritten>> unanswered = new HashMap<>();

    ResponseOrder(Facts facts, Findings findings) {
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(RequestWritten.class, ResponseRead.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof RequestWritten request) {
            unanswered
                    .computeIfAbsent(request.connection(), any -> new ArrayDeque<>())
                    .add(request);
            return;
        }
        findings.checked(Invariant.I11, 1);
        ResponseRead response = (ResponseRead) event;
        ArrayDeque<RequestWritten> requests = unanswered.getOrDefault(response.connection(), new ArrayDeque<>());
        RequestWritten head = requests.peek();
        if (head != null && head.correlationId() == response.correlationId()) {
            requests.remove();
            judgeError(head, response);
            return;
        }
        boolean known = requests.removeIf(request -> request.correlationId() == response.correlationId());
        String expected = head == null ? "no request was unanswered" : "request " + head.correlationId() + " was next";
        findings.add(
                Invariant.I11,
                known ? "reordered-response" : "unexpected-response",
                "connection " + response.connection(),
                "the response to " + response.correlationId() + " came where " + expected,
                () -> List.of("read at " + evidence.at(response.atNs()), String.valueOf(head)));
    }

    private void judgeError(RequestWritten request, ResponseRead response) {
        if (response.errorCode() == 0 || isKnown(request.apiKey(), response.errorCode())) {
            return;
        }
        findings.add(
                Invariant.I11,
                "foreign-error",
                "connection " + response.connection(),
                "error " + response.errorCode() + " is none that a broker answers to API " + request.apiKey(),
                () -> List.of(request.toString(), response.toString()));
    }

    private static boolean isKnown(int apiKey, int code) {
        Errors error = Errors.forCode((short) code);
        if (error.code() != code) {
            return false;
        }
        return apiKey == PRODUCE ? PRODUCE_ERRORS.contains(error) : apiKey != FETCH || FETCH_ERRORS.contains(error);
    }
}
