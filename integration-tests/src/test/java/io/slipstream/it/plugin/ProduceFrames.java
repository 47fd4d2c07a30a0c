// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * Produce requests byte for byte as a client sends them, without the leading size, and the decoding of their answers.
 */
final class ProduceFrames {
    static final short VERSION = 12;

    private ProduceFrames() {}

    /** Makes a batch of one record. */
    static MemoryRecords batch(String value) {
        return batch(value, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE, false);
    }

    static MemoryRecords batch(String value, long producerId, short epoch, int sequence, boolean transactional) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(value.length() + 256),
                RecordBatch.CURRENT_MAGIC_VALUE,
                Compression.NONE,
                TimestampType.CREATE_TIME,
                0L,
                System.currentTimeMillis(),
                producerId,
                epoch,
                sequence,
                transactional,
                RecordBatch.NO_PARTITION_LEADER_EPOCH);
        builder.append(System.currentTimeMillis(), null, value.getBytes(StandardCharsets.UTF_8));
        return builder.build();
    }

    static ByteBuffer frame(int correlationId, short acks, String topic, int partition, MemoryRecords records) {
        return frame(correlationId, acks, null, topic, partition, records);
    }

    static ByteBuffer frame(
            int correlationId, short acks, String transactionalId, String topic, int partition, MemoryRecords records) {
        ProduceRequestData data = new ProduceRequestData()
                .setAcks(acks)
                .setTimeoutMs(10_000)
                .setTransactionalId(transactionalId)
                .setTopicData(new TopicProduceDataCollection(List.of(new TopicProduceData()
                                .setName(topic)
                                .setTopicId(Uuid.ZERO_UUID)
                                .setPartitionData(List.of(new PartitionProduceData()
                                        .setIndex(partition)
                                        .setRecords(records))))
                        .iterator()));
        return new ProduceRequest(data, VERSION)
                .serializeWithHeader(new RequestHeader(ApiKeys.PRODUCE, VERSION, "raw", correlationId));
    }

    /** Returns the answer for the only partition, after a check of the correlation id. */
    static PartitionProduceResponse answer(ByteBuffer response, int correlationId) {
        ByteBuffer body = response.duplicate();
        if (body.getInt() != correlationId) {
            throw new IllegalStateException("not the answer to " + correlationId);
        }
        body.get(); // tagged fields of the response header
        return ProduceResponse.parse(new ByteBufferAccessor(body), VERSION)
                .data()
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
    }
}
