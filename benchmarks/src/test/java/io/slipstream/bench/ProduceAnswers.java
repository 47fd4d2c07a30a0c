// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.ProduceRequests;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Answers to Produce requests as a broker encodes them. */
final class ProduceAnswers {
    private ProduceAnswers() {}

    /** From its correlation id on. */
    static ByteBuffer answer(int correlationId, short error) {
        ProduceResponseData data = new ProduceResponseData();
        data.responses()
                .add(new TopicProduceResponse()
                        .setTopicId(Uuid.randomUuid())
                        .setPartitionResponses(List.of(new PartitionProduceResponse()
                                .setIndex(0x7777)
                                .setErrorCode(error)
                                .setBaseOffset(error == 0 ? 0x7777 : -1))));
        short version = ProduceRequests.NEWEST;
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + 1 + data.size(cache, version));
        frame.putInt(correlationId).put((byte) 0);
        data.write(new ByteBufferAccessor(frame), cache, version);
        return frame.flip();
    }
}
