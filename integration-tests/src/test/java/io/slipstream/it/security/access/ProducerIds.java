// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.process.Patience;
import java.time.Duration;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Requests producer ids until the coordinator answers: the first request creates its topic. */
final class ProducerIds {
    private static final byte TRANSACTION_KEY = 1;

    private ProducerIds() {}

    /** @param transactionalId null for an idempotent producer */
    static InitProducerIdResponseData of(RawClient client, String transactionalId) {
        InitProducerIdResponseData[] answer = new InitProducerIdResponseData[1];
        await().atMost(Patience.ofSeconds(20))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    if (transactionalId != null) {
                        client.call(
                                (short) 3,
                                new FindCoordinatorRequestData()
                                        .setKeyType(TRANSACTION_KEY)
                                        .setKey(transactionalId));
                    }
                    answer[0] = client.call(
                            4,
                            new InitProducerIdRequestData()
                                    .setTransactionalId(transactionalId)
                                    .setTransactionTimeoutMs(60_000),
                            InitProducerIdResponseData.class);
                    return !isPassing(Errors.forCode(answer[0].errorCode()));
                });
        return answer[0];
    }

    private static boolean isPassing(Errors error) {
        return switch (error) {
            case COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, CONCURRENT_TRANSACTIONS ->
                true;
            default -> false;
        };
    }
}
