// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import java.io.IOException;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** Requests producer ids until the coordinator answers. */
public final class ProducerIds {
    private ProducerIds() {}

    /**
     * Returns the answer, which may have an error that does not pass.
     *
     * @param transactionalId null for an idempotent producer
     */
    public static InitProducerIdResponseData of(RawClient client, String transactionalId) throws IOException {
        InitProducerIdRequestData request = new InitProducerIdRequestData()
                .setTransactionalId(transactionalId)
                .setTransactionTimeoutMs(60_000);
        return Coordinators.ask(
                client,
                CoordinatorType.TRANSACTION,
                transactionalId,
                4,
                request,
                InitProducerIdResponseData.class,
                answer -> !isPassing(Errors.forCode(answer.errorCode())));
    }

    private static boolean isPassing(Errors error) {
        return switch (error) {
            case COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, CONCURRENT_TRANSACTIONS ->
                true;
            default -> false;
        };
    }
}
