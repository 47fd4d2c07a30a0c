// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import io.slipstream.harness.raw.ProducerIds;
import io.slipstream.harness.raw.RawClient;
import java.io.IOException;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Requests that idempotent and transactional producers send over TCP. */
final class TransactionCalls {
    record Producer(long id, short epoch) {}

    private static final int END_VERSION = 5;

    private TransactionCalls() {}

    /** @param transactionalId null for an idempotent producer without transactions */
    static Producer initProducerId(String bootstrap, String transactionalId) throws IOException {
        try (RawClient client = RawClient.connect(bootstrap)) {
            InitProducerIdResponseData answer = ProducerIds.of(client, transactionalId);
            refuse("producer id", answer.errorCode());
            return new Producer(answer.producerId(), answer.producerEpoch());
        }
    }

    static void commit(String bootstrap, String transactionalId, Producer producer) throws IOException {
        EndTxnRequestData request = new EndTxnRequestData()
                .setTransactionalId(transactionalId)
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch())
                .setCommitted(true);
        try (RawClient client = RawClient.connect(bootstrap)) {
            refuse(
                    "commit",
                    client.call(END_VERSION, request, EndTxnResponseData.class).errorCode());
        }
    }

    private static void refuse(String call, short error) {
        if (error != Errors.NONE.code()) {
            throw new IllegalStateException(call + ": " + Errors.forCode(error));
        }
    }
}
