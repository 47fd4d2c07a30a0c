// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import io.slipstream.protocol.wire.Samples;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.junit.jupiter.api.Test;

class ProduceResponseViewTest {
    private final ProduceResponseView view = new ProduceResponseView();

    @Test
    void shouldReadEveryVersionAsKafkaDoes() {
        Random random = Seeds.random("ProduceResponseViewTest");
        Samples samples = new Samples(random);
        for (short version : ApiKeys.PRODUCE.allVersions()) {
            for (int i = 0; i < 100; i++) {
                ProduceResponseData data = new ProduceResponseData(
                        new ByteBufferAccessor(samples.bytes(ProduceResponseData.SCHEMAS[version])), version);
                int partitions = 0;
                int errors = 0;
                short first = 0;
                for (TopicProduceResponse topic : data.responses()) {
                    for (PartitionProduceResponse partition : topic.partitionResponses()) {
                        partition.setErrorCode((short) random.nextInt(2));
                        partitions++;
                        errors += partition.errorCode();
                        first = first == 0 ? partition.errorCode() : first;
                    }
                }
                ByteBuffer frame = KafkaFrames.response(ApiKeys.PRODUCE, version, i, data);
                assertThat(view.wrap(frame, version)).as("version %d", version).isTrue();
                assertThat(view.partitionCount()).isEqualTo(partitions);
                assertThat(view.partitionErrors()).isEqualTo(errors);
                assertThat(view.firstError()).isEqualTo(first);
                assertThat(view.throttleTimeMs()).isEqualTo(data.throttleTimeMs());
                assertThat(view.nodeEndpointsPosition() >= 0)
                        .isEqualTo(!data.nodeEndpoints().isEmpty());
                assertThat(view.wrap(frame.duplicate().limit(frame.limit() - 1), version))
                        .isFalse();
            }
        }
        assertThat(view.wrap(ByteBuffer.allocate(40), (short) 2)).isFalse();
        assertThat(view.wrap(ByteBuffer.allocate(40), (short) 14)).isFalse();
    }
}
