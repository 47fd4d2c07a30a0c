// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.StringJoiner;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;

/**
 * Record batches as text: header fields in words, so that differences are readable, and a digest of all bytes, so that
 * none is missed. It omits only legal differences between arms: producer ids assigned by the broker, the broker's
 * timestamps, the CRC over them, and a partial batch at the end. A broker cuts its answer at the byte limit; clients
 * skip the partial batch, and the proxy never sends one.
 */
final class BatchText {
    private static final int CRC_OFFSET = 17;
    private static final int BASE_TIMESTAMP_OFFSET = 27;
    private static final int MAX_TIMESTAMP_OFFSET = 35;
    private static final int PRODUCER_ID_OFFSET = 43;
    /** Producer ids chosen by scripts are equal in all arms and stay; the broker's own are far lower. */
    static final long FIRST_CHOSEN_PRODUCER_ID = 1L << 40;

    private BatchText() {}

    static String of(MemoryRecords records) {
        if (records == null) {
            return "null";
        }
        ByteBuffer bytes = ByteBuffer.allocate(records.sizeInBytes())
                .put(records.buffer().duplicate())
                .flip();
        StringJoiner text = new StringJoiner(", ", "[", "]");
        int wholeBytes = 0;
        for (MutableRecordBatch batch : records.batches()) {
            text.add(describe(batch));
            mask(bytes, wholeBytes, batch);
            wholeBytes += batch.sizeInBytes();
        }
        return wholeBytes + " bytes " + text + " digest " + digest(bytes.limit(wholeBytes));
    }

    private static String describe(MutableRecordBatch batch) {
        return batch.baseOffset() + ".." + batch.lastOffset() + ' ' + batch.compressionType() + ' '
                + batch.sizeInBytes()
                + "B e" + batch.partitionLeaderEpoch() + " pe" + batch.producerEpoch() + " s" + batch.baseSequence()
                + (batch.isTransactional() ? " txn" : "") + (batch.isControlBatch() ? " control" : "")
                + (batch.isValid() ? "" : " INVALID");
    }

    private static void mask(ByteBuffer bytes, int position, MutableRecordBatch batch) {
        boolean brokersTime = batch.isControlBatch() || batch.timestampType() == TimestampType.LOG_APPEND_TIME;
        boolean brokersId = batch.hasProducerId() && batch.producerId() < FIRST_CHOSEN_PRODUCER_ID;
        if (brokersTime) {
            bytes.putLong(position + BASE_TIMESTAMP_OFFSET, 0);
            bytes.putLong(position + MAX_TIMESTAMP_OFFSET, 0);
        }
        if (brokersId) {
            bytes.putLong(position + PRODUCER_ID_OFFSET, 0);
        }
        if (brokersTime || brokersId) {
            bytes.putInt(position + CRC_OFFSET, 0);
        }
    }

    private static String digest(ByteBuffer bytes) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(bytes.duplicate());
            return HexFormat.of().formatHex(sha.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
