// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import io.slipstream.protocol.wire.Varints;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;

/**
 * Writes a Fetch response, version 4 to 18, header on and without the size, around records that stay where they are.
 * The fields go into the caller's buffer; after each {@link #partition} the caller notes {@code out.position()}: there
 * the partition's records belong, and the writer goes on in the buffer as if they had been written. The response is
 * then the gather of
 *
 * <pre>
 *   out[0, p1) │ records 1 │ out[p1, p2) │ records 2 │ … │ out[pn, end)
 * </pre>
 *
 * Calls in order: begin, for each topic (topic, for each partition (partition, perhaps abortedTransaction and records,
 * endPartition), endTopic), end. Allocates nothing; for one thread. The buffer must be big-endian and hold
 * {@link #maxFieldBytes}; else BufferOverflowException, a programmer's error.
 */
public final class FetchResponseWriter {
    private static final short FIRST_ERROR_AND_SESSION = 7;
    private static final short FIRST_LOG_START = 5;
    private static final short FIRST_PREFERRED_REPLICA = 11;
    private static final short FIRST_FLEXIBLE = 12;
    private static final short FIRST_TOPIC_ID = 13;

    /** Instead of a number of aborted transactions: no list of them. */
    public static final int NO_LIST = -1;

    public static final int ABORTED_TRANSACTION_BYTES = 17;

    private ByteBuffer out;
    private short version;
    private boolean flexible;

    /** Bytes that suffice for all fields of a response with so many topics and partitions, records not counted. */
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
        this.version = version;
        this.flexible = version >= FIRST_FLEXIBLE;
        out.putInt(correlationId);
        tags();
        out.putInt(throttleTimeMs);
        if (version >= FIRST_ERROR_AND_SESSION) {
            out.putShort(error.code());
            out.putInt(sessionId);
        }
        count(topicCount);
    }

    /** A topic by id, from version 13 on. */
    public void topic(long idHigh, long idLow, int partitionCount) {
        if (version < FIRST_TOPIC_ID) {
            throw new IllegalStateException("Fetch version " + version + " names topics");
        }
        out.putLong(idHigh);
        out.putLong(idLow);
        count(partitionCount);
    }

    /** A topic by name, before version 13; the name's bytes are copied from {@code source} at that index. */
    public void topic(ByteBuffer source, int namePosition, int nameLength, int partitionCount) {
        if (version >= FIRST_TOPIC_ID) {
            throw new IllegalStateException("Fetch version " + version + " has topic ids");
        }
        if (flexible) {
            Varints.writeUnsigned(out, nameLength + 1);
        } else {
            out.putShort((short) nameLength);
        }
        out.put(out.position(), source, namePosition, nameLength);
        out.position(out.position() + nameLength);
        count(partitionCount);
    }

    /** The topic of an entry, by id or by name as the version has it. */
    public void topic(FetchPartitions partitions, int entry, int partitionCount) {
        int topic = partitions.topicOf(entry);
        if (version >= FIRST_TOPIC_ID) {
            topic(partitions.topicIdHigh(topic), partitions.topicIdLow(topic), partitionCount);
        } else {
            topic(
                    partitions.names(),
                    partitions.topicNamePosition(topic),
                    partitions.topicNameLength(topic),
                    partitionCount);
        }
    }

    /**
     * One partition up to and with the length of its records; the records belong at {@code out.position()} after the
     * call.
     *
     * @param emptyAbortedList true gives an empty list of aborted transactions (read_committed), false gives none
     *     (read_uncommitted)
     * @param recordsBytes length of the records, 0 for none; never null
     */
    public void partition(
            int partition,
            Errors error,
            long highWatermark,
            long lastStableOffset,
            long logStartOffset,
            boolean emptyAbortedList,
            int recordsBytes) {
        partition(partition, error, highWatermark, lastStableOffset, logStartOffset, emptyAbortedList ? 0 : NO_LIST);
        records(recordsBytes);
    }

    /**
     * One partition up to and with the number of aborted transactions; so many {@link #abortedTransaction} and then
     * {@link #records} follow.
     *
     * @param abortedTransactions {@link #NO_LIST} gives no list (read_uncommitted)
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

    /** Each takes up to {@link #ABORTED_TRANSACTION_BYTES} beyond {@link #maxFieldBytes}. */
    public void abortedTransaction(long producerId, long firstOffset) {
        out.putLong(producerId);
        out.putLong(firstOffset);
        tags();
    }

    /**
     * The partition's fields from its aborted transactions to the length of its records; these belong at
     * {@code out.position()} after the call.
     */
    public void records(int recordsBytes) {
        if (version >= FIRST_PREFERRED_REPLICA) {
            out.putInt(-1);
        }
        if (flexible) {
            Varints.writeUnsigned(out, recordsBytes + 1);
        } else {
            out.putInt(recordsBytes);
        }
    }

    /**
     * What follows a partition's records; after {@link #partition} or {@link #records} and after the caller noted the
     * position.
     */
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

    /** A response of an error alone, without topics; the buffer needs 32 bytes. */
    public void errorOnly(
            ByteBuffer out, short version, int correlationId, int throttleTimeMs, Errors error, int sessionId) {
        begin(out, version, correlationId, throttleTimeMs, error, sessionId, 0);
        end();
    }

    /** @param elements {@link #NO_LIST} for a null array */
    private void count(int elements) {
        if (flexible) {
            Varints.writeUnsigned(out, elements + 1);
        } else {
            out.putInt(elements);
        }
    }

    /** An empty section of tagged fields. */
    private void tags() {
        if (flexible) {
            out.put((byte) 0);
        }
    }
}
