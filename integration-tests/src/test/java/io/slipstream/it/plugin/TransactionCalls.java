// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.EndTxnRequest;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.RequestHeader;

/** Requests that idempotent and transactional producers send over TCP. */
final class TransactionCalls {
    record Producer(long id, short epoch) {}

    private static final short INIT_VERSION = 4;
    private static final short END_VERSION = 5;
    private static final short COORDINATOR_VERSION = 4;
    private static final byte TRANSACTION = 1;

    private final BrokerConnection connection;
    private int correlationId = 1000;

    TransactionCalls(BrokerConnection connection) {
        this.connection = connection;
    }

    /** @param transactionalId null for an idempotent producer without transactions */
    Producer initProducerId(String transactionalId) throws IOException {
        if (transactionalId != null) {
            call(
                    ApiKeys.FIND_COORDINATOR,
                    new FindCoordinatorRequest.Builder(new FindCoordinatorRequestData()
                                    .setKeyType(TRANSACTION)
                                    .setCoordinatorKeys(List.of(transactionalId)))
                            .build(COORDINATOR_VERSION));
        }
        AtomicReference<InitProducerIdResponseData> answer = new AtomicReference<>();
        await("transaction coordinator").atMost(Duration.ofSeconds(20)).until(() -> {
            ByteBuffer response = call(
                    ApiKeys.INIT_PRODUCER_ID,
                    new InitProducerIdRequest.Builder(new InitProducerIdRequestData()
                                    .setTransactionalId(transactionalId)
                                    .setTransactionTimeoutMs(60_000))
                            .build(INIT_VERSION));
            answer.set(new InitProducerIdResponseData(new ByteBufferAccessor(response), INIT_VERSION));
            return answer.get().errorCode() == Errors.NONE.code();
        });
        return new Producer(answer.get().producerId(), answer.get().producerEpoch());
    }

    void commit(String transactionalId, Producer producer) throws IOException {
        ByteBuffer response = call(
                ApiKeys.END_TXN,
                new EndTxnRequest.Builder(
                                new EndTxnRequestData()
                                        .setTransactionalId(transactionalId)
                                        .setProducerId(producer.id())
                                        .setProducerEpoch(producer.epoch())
                                        .setCommitted(true),
                                true)
                        .build(END_VERSION));
        short error = new EndTxnResponseData(new ByteBufferAccessor(response), END_VERSION).errorCode();
        if (error != Errors.NONE.code()) {
            throw new IllegalStateException("commit: " + Errors.forCode(error));
        }
    }

    private ByteBuffer call(ApiKeys api, AbstractRequest request) throws IOException {
        RequestHeader header = new RequestHeader(api, request.version(), "raw", correlationId++);
        ByteBuffer response = connection.exchange(request.serializeWithHeader(header));
        response.getInt();
        response.get(); // tagged fields of the response header
        return response;
    }
}
