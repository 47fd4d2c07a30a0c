package io.slipstream.proxy.fastpath.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseWriter;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;

/**
 * Makes the response around the record bytes where the READ put them. With records of one partition only, the usual case, the
 * fields are written into the room left before and after them and the response is one contiguous buffer; with records of several
 * partitions it is a composite of slices. Records are never copied.
 */
final class ResponseAssembly {
    private final ByteBufAllocator allocator;
    private final FetchResponseWriter writer = new FetchResponseWriter();
    /** Scratch for the fields; grows to the largest response's. */
    private ByteBuffer fields = ByteBuffer.allocate(512);
    /** By piece of records: where in {@link #fields} they belong, and where in the data they lie. */
    private int[] fieldPositions = new int[8];

    private int[] dataIndexes = new int[8];
    private int[] dataLengths = new int[8];
    private int pieces;

    ResponseAssembly(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Bytes to leave before the records, and again after them. */
    static int roomBytes(FetchRequestView request) {
        int names = 0;
        for (int t = 0; t < request.topicCount(); t++) {
            names += Math.max(0, request.topicNameLength(t));
        }
        return FetchResponseWriter.maxFieldBytes(request.topicCount(), request.partitionCount(), names);
    }

    /** A response that is an error and no topics. */
    ByteBuf error(short version, int correlationId, Errors error) {
        fields.clear();
        writer.errorOnly(fields, version, correlationId, 0, error, 0);
        return allocator.directBuffer(fields.position()).writeBytes(fields.flip());
    }

    /**
     * @param requestFrame the frame that {@code request} was read from
     * @param recordIndexes by entry, index in {@code data} of the records
     * @param recordBytes by entry, 0 for none
     * @param data records, with {@link #roomBytes} before and after all of them; owned by this method; null if there are none
     */
    ByteBuf respond(
            FetchRequestView request,
            ByteBuffer requestFrame,
            int correlationId,
            ReadPlan plan,
            int[] recordIndexes,
            int[] recordBytes,
            ByteBuf data) {
        int room = roomBytes(request);
        if (fields.capacity() < room) {
            fields = ByteBuffer.allocate(room);
        }
        if (dataIndexes.length < plan.partitionsToRead) {
            int size = Integer.highestOneBit(plan.partitionsToRead) * 2;
            fieldPositions = new int[size];
            dataIndexes = new int[size];
            dataLengths = new int[size];
        }
        writeFields(request, requestFrame, correlationId, plan, recordIndexes, recordBytes);
        if (pieces == 0) {
            if (data != null) {
                data.release();
            }
            return allocator.directBuffer(fields.position()).writeBytes(fields.flip());
        }
        fields.flip();
        return pieces == 1 ? around(data) : composite(data);
    }

    private void writeFields(
            FetchRequestView request,
            ByteBuffer requestFrame,
            int correlationId,
            ReadPlan plan,
            int[] recordIndexes,
            int[] recordBytes) {
        fields.clear();
        pieces = 0;
        writer.begin(fields, request.version(), correlationId, 0, Errors.NONE, 0, request.topicCount());
        for (int t = 0; t < request.topicCount(); t++) {
            int first = request.firstPartitionOf(t);
            int end = request.endPartitionOf(t);
            writer.topic(request, requestFrame, t, end - first);
            for (int i = first; i < end; i++) {
                writer.partition(
                        request.partition(i),
                        Errors.NONE,
                        plan.highWatermark[i],
                        plan.lastStableOffset[i],
                        plan.logStartOffset[i],
                        // A broker drops the list with the batch that did not fit.
                        request.isReadCommitted() && !plan.firstBatchTooLarge[i],
                        recordBytes[i]);
                if (recordBytes[i] > 0) {
                    fieldPositions[pieces] = fields.position();
                    dataIndexes[pieces] = recordIndexes[i];
                    dataLengths[pieces] = recordBytes[i];
                    pieces++;
                }
                writer.endPartition();
            }
            writer.endTopic();
        }
        writer.end();
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
