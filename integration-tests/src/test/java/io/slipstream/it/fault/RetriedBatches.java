// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;

/** The last batches of an idempotent producer that a broker remembers. It answers a retry of each as a duplicate. */
final class RetriedBatches {
    private static final long PRODUCER_ID = 4711;
    private static final int BATCHES = 5;

    private final String bootstrap;
    private final TopicRef topic;

    /** Appends the batches to a new topic. */
    RetriedBatches(String bootstrap) throws IOException {
        this.bootstrap = bootstrap;
        try (RawTopics topics = new RawTopics(bootstrap)) {
            topic = topics.create("retried", 1);
        }
        try (RawClient client = RawClient.connect(bootstrap)) {
            for (int sequence = 0; sequence < BATCHES; sequence++) {
                assertThat(send(client, sequence)).isEqualTo(Errors.NONE);
            }
            assertThat(send(client, BATCHES - 2))
                    .as("retry of the second-to-last batch")
                    .isEqualTo(Errors.NONE);
        }
    }

    /**
     * After log recovery a broker knows only a producer's last batch. An idempotent client then starts a new epoch
     * (KIP-360) and retries.
     */
    void verifyThatOnlyTheLastIsRemembered() throws IOException {
        try (RawClient client = RawClient.connect(bootstrap)) {
            assertThat(send(client, BATCHES - 1)).as("retry of the last batch").isEqualTo(Errors.NONE);
            assertThat(send(client, BATCHES - 2))
                    .as("retry of the second-to-last batch")
                    .isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        }
    }

    private Errors send(RawClient client, int sequence) throws IOException {
        client.send(ProduceRequests.version(ProduceRequests.NEWEST, 1)
                .add(topic, 0, Batches.idempotent(PRODUCER_ID, (short) 0, sequence, new byte[10]))
                .frame());
        ProduceResponseData response = client.receive().as(ProduceResponseData.class);
        return Errors.forCode(response.responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0)
                .errorCode());
    }
}
