// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.fetch;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.protocol.fetch.BatchWalk;
import io.slipstream.protocol.record.BatchHeader;
import java.nio.ByteBuffer;
import java.util.Iterator;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Compares the walk over record batches with Kafka's own. The walk accepts only Kafka's batches: whole, in order and
 * below the limits.
 *
 * <pre>
 *   0 fetchOffset i64 │ 8 offsetLimit i64 │ 16 byteLimit i32 │ 20 flags u8 (odd: at least one) │ 21 bytes of a log
 * </pre>
 */
class BatchWalkFuzzTest {
    private static final int FIRST_BYTE = 21;

    private final BatchWalk walk = new BatchWalk();

    @FuzzTest
    void shouldAcceptKafkasBatchesOnly(byte[] input) {
        if (input.length < FIRST_BYTE) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(input);
        long fetchOffset = in.getLong(0);
        long offsetLimit = in.getLong(8);
        int byteLimit = in.getInt(16);
        boolean atLeastOne = (input[20] & 1) != 0;
        ByteBuffer log = in.slice(FIRST_BYTE, input.length - FIRST_BYTE);
        int end = log.limit();
        HeapUse.requireAtMost(0, () -> walk.walk(log, 0, end, fetchOffset, offsetLimit, byteLimit, atLeastOne));

        int start = walk.startIndex;
        int accepted = walk.acceptedBytes();
        require(start >= 0 && accepted >= 0 && start + accepted <= end, "bounds");
        Iterator<MutableRecordBatch> kafka =
                MemoryRecords.readableRecords(log.duplicate()).batches().iterator();
        int at = 0;
        int batches = 0;
        long records = 0;
        long nextOffset = fetchOffset;
        int epoch = -1;
        long lastOffset = -1;
        while (at < start + accepted) {
            RecordBatch batch = next(kafka);
            require(batch != null, "a batch at " + at + " that Kafka does not find");
            require(batch.magic() == RecordBatch.MAGIC_VALUE_V2, "magic " + batch.magic());
            require(batch.baseOffset() > lastOffset, "offsets do not increase");
            lastOffset = batch.lastOffset();
            require(lastOffset < offsetLimit, "offset " + lastOffset + " at or above the limit " + offsetLimit);
            if (at < start) {
                require(lastOffset < fetchOffset, "the walk skipped the batch with the fetch offset");
            } else {
                require(lastOffset >= fetchOffset, "a batch below the fetch offset was accepted");
                batches++;
                records += batch.countOrNull();
                nextOffset = lastOffset + 1;
                epoch = batch.partitionLeaderEpoch();
            }
            at += batch.sizeInBytes();
        }
        require(at == start + accepted, "ends within a batch");
        require(
                accepted <= Math.max(0, byteLimit) || (atLeastOne && batches == 1),
                accepted + " bytes above the limit of " + byteLimit);
        require(walk.recordCount == records, "records");
        require(walk.nextOffset == nextOffset, "next offset");
        require(walk.lastLeaderEpoch == epoch, "leader epoch");
        require(BatchHeader.wholeBatchBytes(log, start, start + accepted) == accepted, "bytes of whole batches");
        checkStop(kafka, log, start + accepted, offsetLimit);
    }

    /** Checks that the walk did not stop early: the bytes after the accepted ones have the reported reason. */
    private void checkStop(Iterator<MutableRecordBatch> kafka, ByteBuffer log, int at, long offsetLimit) {
        int left = log.limit() - at;
        switch (walk.stop) {
            case END -> require(left == 0, "bytes remain at the end");
            case PARTIAL_BATCH ->
                require(
                        left < BatchHeader.OVERHEAD_BYTES || left < BatchHeader.sizeBytes(log, at),
                        "a whole batch remains");
            case OFFSET_LIMIT -> {
                RecordBatch batch = next(kafka);
                require(batch != null && batch.lastOffset() >= offsetLimit, "no batch at the limit");
            }
            case BYTE_LIMIT -> require(next(kafka) != null, "no batch above the byte limit");
            default -> require(walk.stop.isTorn(), "stop");
        }
    }

    /** Returns null at the end, within a batch, and where Kafka finds the log corrupt. */
    private static RecordBatch next(Iterator<MutableRecordBatch> kafka) {
        try {
            return kafka.hasNext() ? kafka.next() : null;
        } catch (KafkaException corrupt) {
            return null;
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
