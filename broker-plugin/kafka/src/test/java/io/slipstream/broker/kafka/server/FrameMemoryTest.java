// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.ProduceResponse;
import org.junit.jupiter.api.Test;

class FrameMemoryTest {
    @Test
    void shouldTellOfAProduceWhetherItsAnswerNamesABroker() {
        ProduceResponseData produced = new ProduceResponseData();
        assertThat(FrameMemory.namesNoBroker(new ProduceResponse(produced))).isTrue();

        // The class of the collection differs between Kafka's lines.
        Collection<ProduceResponseData.NodeEndpoint> endpoints = produced.nodeEndpoints();
        endpoints.add(new ProduceResponseData.NodeEndpoint()
                .setNodeId(2)
                .setHost("broker-2")
                .setPort(9092));
        assertThat(FrameMemory.namesNoBroker(new ProduceResponse(produced))).isFalse();
    }

    @Test
    void shouldLeaveOtherAnswersToTheProxy() {
        MetadataResponse metadata = new MetadataResponse(new MetadataResponseData(), (short) 12);
        assertThat(FrameMemory.namesNoBroker(metadata)).isFalse();
        assertThat(FrameMemory.namesNoBroker(new HeartbeatResponse(new HeartbeatResponseData())))
                .isFalse();
    }
}
