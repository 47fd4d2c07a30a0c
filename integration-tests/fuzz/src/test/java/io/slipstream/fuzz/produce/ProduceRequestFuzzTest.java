// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.produce;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.fuzz.KafkaReaders;
import io.slipstream.protocol.produce.ProduceEligibility;
import io.slipstream.protocol.produce.ProduceRequestView;
import io.slipstream.protocol.record.BatchHeader;
import io.slipstream.protocol.record.BatchSink;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * The view that decides whether a Produce request goes through the ring. If a request is eligible, Kafka reads the same
 * fields.
 *
 * <pre>
 *   0 version u8 │ 1 the request's body
 * </pre>
 */
class ProduceRequestFuzzTest {
    private static final int FIRST_BYTE = 1;

    private final ProduceRequestView view = new ProduceRequestView();
    private final BatchSink sink = this::see;
    private int seenPartitions;
    private long seenBytes;

    private void see(int topicStart, int topicLength, int partition, int records, int bytes) {
        seenPartitions++;
        seenBytes += bytes;
    }

    @FuzzTest
    void shouldTakeOnlyWhatKafkaReadsTheSame(byte[] input) {
        if (input.length < FIRST_BYTE) {
            return;
        }
        ApiMessageType type = ApiMessageType.PRODUCE;
        short version = KafkaReaders.version(type, input[0]);
        ByteBuffer body =
                ByteBuffer.wrap(input, FIRST_BYTE, input.length - FIRST_BYTE).slice();
        HeapUse.requireAtMost(0, () -> {
            // It may run more than once.
            seenPartitions = 0;
            seenBytes = 0;
            view.wrap(body, 0, version, sink);
        });

        KafkaReaders.Read read = KafkaReaders.requestBody(body, type, version);
        if (view.eligibility == ProduceEligibility.MALFORMED) {
            require(
                    read == null || !KafkaReaders.isKafkasWriting(read, body, version),
                    "malformed, but Kafka reads it");
        } else {
            require(read != null, view.eligibility + ", but Kafka cannot read it");
            compare((ProduceRequestData) read.body());
        }
    }

    private void compare(ProduceRequestData read) {
        int partitions = 0;
        long recordBytes = 0;
        long records = 0;
        boolean eligible = true;
        for (TopicProduceData topic : read.topicData()) {
            for (PartitionProduceData partition : topic.partitionData()) {
                partitions++;
                MemoryRecords batches = (MemoryRecords) partition.records();
                recordBytes += batches == null ? 0 : batches.sizeInBytes();
                RecordBatch only = onlyBatch(batches);
                eligible &= only != null;
                if (only != null) {
                    records += Math.max(0, only.countOrNull());
                    require(
                            BatchHeader.wholeBytes(batches.buffer(), 0, batches.sizeInBytes()) == batches.sizeInBytes()
                                    && BatchHeader.recordsCount(batches.buffer(), 0) == only.countOrNull(),
                            "records of one batch");
                }
            }
        }
        require(seenPartitions == partitions, "partitions");
        require(seenBytes == recordBytes, "bytes of records");
        require(isEligible(view) == (eligible && partitions > 0), "eligible: " + view.eligibility);
        if (isEligible(view)) {
            require(view.recordCount == records, "records");
        }
    }

    /** Returns the batch if the bytes are exactly one whole batch of format 2, by Kafka's own walk; else null. */
    private static RecordBatch onlyBatch(MemoryRecords records) {
        if (records == null || records.sizeInBytes() < BatchHeader.BYTES) {
            return null;
        }
        try {
            var batches = records.batches().iterator();
            RecordBatch first = batches.hasNext() ? batches.next() : null;
            return first != null
                            && first.magic() == RecordBatch.MAGIC_VALUE_V2
                            && first.sizeInBytes() == records.sizeInBytes()
                    ? first
                    : null;
        } catch (RuntimeException corrupt) {
            return null;
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private static boolean isEligible(ProduceRequestView view) {
        return view.eligibility == ProduceEligibility.ELIGIBLE;
    }
}
