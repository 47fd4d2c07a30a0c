// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;

/**
 * Writes a Fetch response, version 4 to 18, from its header on and without the size. Records are not copied: the fields
 * go into the caller's buffer, and after each {@link #records} the caller notes {@code out.position()}. The
 * partition's records belong there, and the writer continues in the buffer as if they had been written. The response is
 * then the gather of
 *
 * <pre>
 *   out[0, p1) │ records 1 │ out[p1, p2) │ records 2 │ … │ out[pn, end)
 * </pre>
 *
 * Order of calls: begin, for each topic (topic, for each partition (partition, abortedTransaction, records,
 * endPartition), endTopic), end. Allocates nothing. Not thread-safe. The buffer must be big-endian and hold
 * {@link #maxFieldBytes}; otherwise the writer throws BufferOverflowException.
 */
public final class FetchResponseWriter extends FetchFields {
    private static final short FIRST_ERROR_AND_SESSION = 7;
    private static final short FIRST_LOG_START = 5;
    private static final short FIRST_PREFERRED_REPLICA = 11;

    /** Value for a number of aborted transactions: no list. */
    public static final int NO_LIST = -1;

    public static final int ABORTED_TRANSACTION_BYTES = 17;

    /** Upper bound of the bytes of all fields of a response, without records. */
    public static int maxFieldBytes(int topics, int partitions, int topicNameBytes) {
        return 32 + topics * 32 + topicNameBytes + partitions * 64;
    }

    public void begin(
            ByteBuffer out,
            short version,
            int correlationId,
            int throttleTimeMs,
            Errors error,
            int sessionId,
            int topicCount) {
        if (version < FetchRequestView.OLDEST_VERSION || version > FetchRequestView.LATEST_VERSION) {
            throw new IllegalArgumentException("Fetch version " + version);
        }
        this.out = out;
        version(version);
        out.putInt(correlationId);
        tags();
        out.putInt(throttleTimeMs);
        if (version >= FIRST_ERROR_AND_SESSION) {
            out.putShort(error.code());
            out.putInt(sessionId);
        }
        count(topicCount);
    }

    /**
     * Writes one partition up to the number of aborted transactions. The caller then calls {@link #abortedTransaction}
     * that many times, and {@link #records}.
     *
     * @param abortedTransactions {@link #NO_LIST} writes no list (read_uncommitted)
     */
    public void partition(
            int partition,
            Errors error,
            long highWatermark,
            long lastStableOffset,
            long logStartOffset,
            int abortedTransactions) {
        out.putInt(partition);
        out.putShort(error.code());
        out.putLong(highWatermark);
        out.putLong(lastStableOffset);
        if (version >= FIRST_LOG_START) {
            out.putLong(logStartOffset);
        }
        count(abortedTransactions);
    }

    /** Writes one transaction. It takes up to {@link #ABORTED_TRANSACTION_BYTES} beyond {@link #maxFieldBytes}. */
    public void abortedTransaction(long producerId, long firstOffset) {
        out.putLong(producerId);
        out.putLong(firstOffset);
        tags();
    }

    /**
     * Writes the fields between the aborted transactions and the records. The records belong at {@code out.position()}
     * after the call.
     */
    public void records(int recordsBytes) {
        if (version >= FIRST_PREFERRED_REPLICA) {
            out.putInt(-1);
        }
        count(recordsBytes);
    }

    /** Writes the fields after a partition's records. The caller must have noted the position before. */
    public void endPartition() {
        tags();
    }

    public void endTopic() {
        tags();
    }

    public void end() {
        tags();
        out = null;
    }

    /** Writes a response that consists of an error, without topics; the buffer needs 32 bytes. */
    public void errorOnly(
            ByteBuffer out, short version, int correlationId, int throttleTimeMs, Errors error, int sessionId) {
        begin(out, version, correlationId, throttleTimeMs, error, sessionId, 0);
        end();
    }
}
