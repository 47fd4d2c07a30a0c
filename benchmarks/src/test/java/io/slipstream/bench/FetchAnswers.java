// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Answers encoded by Kafka's own classes, from the correlation id on. */
final class FetchAnswers {
    private FetchAnswers() {}

    /** Of partition 0 alone. */
    static ByteBuffer of(int correlationId, short error, MemoryRecords records) {
        return of(correlationId, partition(0, error, records));
    }

    static PartitionData partition(int partition, short error, MemoryRecords records) {
        return new PartitionData()
                .setPartitionIndex(partition)
                .setErrorCode(error)
                .setHighWatermark(1_000)
                .setLastStableOffset(1_000)
                .setAbortedTransactions(null)
                .setRecords(records);
    }

    static ByteBuffer of(int correlationId, PartitionData... partitions) {
        FetchResponseData data = new FetchResponseData()
                .setResponses(List.of(new FetchableTopicResponse()
                        .setTopicId(Uuid.randomUuid())
                        .setPartitions(List.of(partitions))));
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + 1 + data.size(cache, FetchRequests.NEWEST));
        frame.putInt(correlationId).put((byte) 0);
        data.write(new ByteBufferAccessor(frame), cache, FetchRequests.NEWEST);
        return frame.flip();
    }

    /** Returns a batch of that many records, starting at that offset. */
    static MemoryRecords batch(long baseOffset, int records) {
        byte[][] values = new byte[records][100];
        MemoryRecords batch = Batches.of(values);
        batch.buffer().putLong(0, baseOffset);
        return batch;
    }
}
