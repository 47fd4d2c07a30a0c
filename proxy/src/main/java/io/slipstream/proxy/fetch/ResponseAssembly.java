// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseWriter;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;

/**
 * Builds the response, with its size, around the record bytes where the READ placed them. With records of one
 * partition, the usual case, the fields are written into the space before and after them and the response is one
 * contiguous buffer. With records of several partitions, or with shared data, it is a composite of slices. Records are
 * never copied.
 */
public final class ResponseAssembly {
    /** Space for a few aborted transactions, so that the response stays one buffer. */
    private static final int ROOM_FOR_ABORTED = 32;

    private final ByteBufAllocator allocator;
    private final FetchResponseWriter writer = new FetchResponseWriter();
    /** Scratch memory for the fields; grows to the largest response. */
    private ByteBuffer fields = ByteBuffer.allocate(512);
    /** By piece of records: its place in {@link #fields} and its index in the data. */
    private int[] fieldPositions = new int[8];

    private int[] dataIndexes = new int[8];
    private int[] dataLengths = new int[8];
    private int pieces;

    public ResponseAssembly(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Bytes of space before the records, and again after them. */
    public static int roomBytes(FetchRequestView request) {
        FetchPartitions partitions = request.partitions;
        int entries = partitions.count;
        int names = 0;
        for (int i = 0; i < entries; i++) {
            names += Math.max(0, partitions.topicNameLength(partitions.topicOf(i)));
        }
        int aborted = request.isReadCommitted() ? ROOM_FOR_ABORTED * FetchResponseWriter.ABORTED_TRANSACTION_BYTES : 0;
        // In a session's order, partitions of one topic need not be consecutive.
        return PendingRequest.SIZE_BYTES + FetchResponseWriter.maxFieldBytes(entries, entries, names) + aborted;
    }

    /** A response with an error and without topics. */
    ByteBuf error(short version, int correlationId, Errors error) {
        fields.clear().position(PendingRequest.SIZE_BYTES);
        writer.errorOnly(fields, version, correlationId, 0, error, 0);
        return fieldsAlone();
    }

    /** The response without records. */
    private ByteBuf fieldsAlone() {
        setSize(0);
        return allocator.directBuffer(fields.position()).writeBytes(fields.flip());
    }

    private void setSize(int recordBytes) {
        fields.putInt(0, fields.position() - PendingRequest.SIZE_BYTES + recordBytes);
    }

    /**
     * @param sessionId id of the fetch session to continue; 0 for none
     * @param answered the entries in the answer, in order
     * @param cursors by entry, with the known aborted transactions
     * @param aborted selects the transactions to list
     * @param data records, with {@link #roomBytes} before and after all of them; owned by this method unless it throws;
     *     null if there are none
     * @param shared whether others read {@code data}, too, so that it must not be written
     */
    public ByteBuf respond(
            FetchRequestView request,
            int correlationId,
            int sessionId,
            ReadPlan plan,
            int[] answered,
            int answeredCount,
            Cursor[] cursors,
            AbortedLists aborted,
            ByteBuf data,
            boolean shared) {
        int room = roomBytes(request) + mostAbortedBytes(request, cursors);
        if (fields.capacity() < room) {
            fields = ByteBuffer.allocate(room);
        }
        if (dataIndexes.length < plan.partitionsToRead) {
            int size = Integer.highestOneBit(plan.partitionsToRead) * 2;
            fieldPositions = new int[size];
            dataIndexes = new int[size];
            dataLengths = new int[size];
        }
        fields.clear().position(PendingRequest.SIZE_BYTES);
        pieces = 0;
        FetchPartitions partitions = request.partitions;
        int topics = partitions.topicsIn(answered, answeredCount);
        writer.begin(fields, request.version, correlationId, 0, Errors.NONE, sessionId, topics);
        for (int k = 0; k < answeredCount; ) {
            int end = partitions.endOfTopic(answered, answeredCount, k);
            writer.topic(partitions, answered[k], end - k);
            for (; k < end; k++) {
                int i = answered[k];
                partition(request, i, plan.entries[i], cursors[i], aborted);
            }
            writer.endTopic();
        }
        writer.end();
        if (pieces == 0) {
            ByteBuf alone = fieldsAlone();
            if (data != null) {
                data.release();
            }
            return alone;
        }
        int records = 0;
        for (int p = 0; p < pieces; p++) {
            records += dataLengths[p];
        }
        setSize(records);
        fields.flip();
        return pieces == 1 && !shared && hasRoom(data) ? around(data) : composite(data);
    }

    private static int mostAbortedBytes(FetchRequestView request, Cursor[] cursors) {
        int most = 0;
        for (int i = 0; i < request.partitions.count && request.isReadCommitted(); i++) {
            most += cursors[i].aborted.size();
        }
        return most * FetchResponseWriter.ABORTED_TRANSACTION_BYTES;
    }

    /** Whether the space suffices for the listed aborted transactions. */
    private boolean hasRoom(ByteBuf data) {
        int head = fieldPositions[0];
        int tail = fields.limit() - head;
        return dataIndexes[0] >= head && dataIndexes[0] + dataLengths[0] + tail <= data.capacity();
    }

    private void partition(FetchRequestView request, int i, ReadPlan.Entry entry, Cursor cursor, AbortedLists aborted) {
        // A broker drops the list together with the batch that did not fit.
        boolean list = request.isReadCommitted() && !entry.firstBatchTooLarge;
        int listed =
                list && entry.availableBytes > 0 ? aborted.count(entry, cursor, request.partitions.fetchOffset(i)) : 0;
        writer.partition(
                request.partitions.partition(i),
                Errors.NONE,
                entry.highWatermark,
                entry.lastStableOffset,
                entry.logStartOffset,
                list ? listed : FetchResponseWriter.NO_LIST);
        if (listed > 0) {
            aborted.write(entry, cursor, request.partitions.fetchOffset(i), writer);
        }
        writer.records(entry.recordBytes);
        if (entry.recordBytes > 0) {
            fieldPositions[pieces] = fields.position();
            dataIndexes[pieces] = entry.recordIndex;
            dataLengths[pieces] = entry.recordBytes;
            pieces++;
        }
        writer.endPartition();
    }

    private ByteBuf around(ByteBuf data) {
        int head = fieldPositions[0];
        int tail = fields.limit() - head;
        int start = dataIndexes[0] - head;
        int end = dataIndexes[0] + dataLengths[0];
        fields.limit(head);
        data.setBytes(start, fields);
        fields.limit(head + tail);
        data.setBytes(end, fields);
        return data.setIndex(start, end + tail);
    }

    private ByteBuf composite(ByteBuf data) {
        ByteBuf written = allocator.directBuffer(fields.limit()).writeBytes(fields);
        CompositeByteBuf response = allocator.compositeDirectBuffer(2 * pieces + 1);
        int from = 0;
        for (int p = 0; p < pieces; p++) {
            response.addComponent(true, written.retainedSlice(from, fieldPositions[p] - from));
            response.addComponent(true, data.retainedSlice(dataIndexes[p], dataLengths[p]));
            from = fieldPositions[p];
        }
        response.addComponent(true, written.retainedSlice(from, written.writerIndex() - from));
        written.release();
        data.release();
        return response;
    }
}
