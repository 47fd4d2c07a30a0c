// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.ring;

import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Produce requests as Kafka's own writer makes them. */
public final class ProduceFrames {
    private ProduceFrames() {}

    /** One batch with one record of that size, header on. */
    public static byte[] produce(int correlationId, int valueBytes) {
        return produce(correlationId, new byte[valueBytes]);
    }

    /** One batch with one record of that value, header on. */
    public static byte[] produce(int correlationId, byte[] value) {
        short version = 9;
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(ApiKeys.PRODUCE.id)
                .setRequestApiVersion(version)
                .setCorrelationId(correlationId)
                .setClientId("producer-1");
        ProduceRequestData body = new ProduceRequestData().setAcks((short) 1).setTimeoutMs(1000);
        TopicProduceData topic = new TopicProduceData().setName("cars");
        MemoryRecords records =
                MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1_700_000_000_000L, null, value));
        topic.partitionData().add(new PartitionProduceData().setIndex(0).setRecords(records));
        body.topicData().add(topic);
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header, (short) 2).buffer();
        ByteBuffer tail = MessageUtil.toByteBufferAccessor(body, version).buffer();
        return ByteBuffer.allocate(head.remaining() + tail.remaining())
                .put(head)
                .put(tail)
                .array();
    }
}
