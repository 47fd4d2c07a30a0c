// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseView;
import io.slipstream.protocol.fetch.SessionlessFetch;
import io.slipstream.protocol.produce.ProduceRequestView;
import io.slipstream.protocol.record.BatchSink;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.count.PartitionActivity;
import io.slipstream.proxy.count.PartitionTable;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Reads Produce and Fetch frames, and counts their records, without decoding them. Confined to one thread. */
public final class FrameCounts {
    /** maxBytes i32 and isolationLevel i8. */
    private static final int MAX_BYTES_BEFORE_SESSION = Integer.BYTES + 1;

    private final ProduceRequestView produce = new ProduceRequestView();
    private final FetchRequestView fetch = new FetchRequestView();
    private final FetchResponseView fetched = FetchResponseView.counting(false);
    private final BatchSink onRead = this::onRead;
    private final BatchSink onProduced = this::onProduced;
    private final Consumer<FetchResponseView> onFetched = this::onFetched;
    private final PartitionTable partitions;
    /** The request that is counted, or whose answer is. */
    private RequestSlot slot;

    private ByteBuffer produced;
    private int producedPartitions;

    /** @param partitions the thread's own table, which is updated, too */
    public FrameCounts(PartitionTable partitions) {
        this.partitions = partitions;
    }

    /** Reads a Produce request into its slot, whose header is read. Reads it as far as it can be read. */
    public void readProduce(ByteBuffer frame, RequestSlot request) {
        producedPartitions = 0;
        request.partition = null;
        request.produceForRing = walk(frame, request, onRead);
        request.expectsResponse = !produce.wantsNoResponse;
        request.records = produce.recordCount;
    }

    private boolean walk(ByteBuffer frame, RequestSlot request, BatchSink sink) {
        slot = request;
        produced = frame;
        return produce.wrap(frame, bodyOf(slot, frame), slot.apiVersion, sink);
    }

    private void onRead(int topicStart, int topicLength, int partition, int records, int bytes) {
        slot.partition = producedPartitions++ == 0 ? activity(topicStart, topicLength, partition) : null;
        slot.partitionBytes = bytes;
    }

    /**
     * Counts the partitions of the slot's Produce request. The path that they took is known only now, so those of a
     * request with several are walked again.
     */
    void countProduce(RequestSlot request) {
        if (request.partition != null) {
            request.partition.produced(request.records, request.partitionBytes, request.answeredByRdma, request.reason);
        } else {
            walk(PooledMemory.frame(request.wire), request, onProduced);
        }
    }

    private void onProduced(int topicStart, int topicLength, int partition, int records, int bytes) {
        activity(topicStart, topicLength, partition).produced(records, bytes, slot.answeredByRdma, slot.reason);
    }

    private PartitionActivity activity(int topicStart, int topicLength, int partition) {
        return partitions.of(
                produced, topicStart, topicLength, ProduceRequestView.hasTopicIds(slot.apiVersion), partition);
    }

    /** Adds the records in the response to the slot's Fetch, as far as it can be read. */
    void addFetchResponse(RequestSlot request, ByteBuf response) {
        slot = request;
        fetched.walk(PooledMemory.frame(response), request.apiVersion, onFetched);
    }

    /** Adds the records in a part of that response; the result is that of {@link FetchResponseView#advance}. */
    int addFetchPart(RequestSlot request, FetchResponseView view, ByteBuffer part, int laterBytes) {
        slot = request;
        return view.advance(part, laterBytes, onFetched);
    }

    private void onFetched(FetchResponseView at) {
        if (at.recordBytes > 0) {
            slot.records += at.recordCount;
            partitions
                    .of(at.topic, at.topicStart, at.topicLength, at.hasTopicIds(), at.partition)
                    .fetched(at.recordCount, at.recordBytes, slot.answeredByRdma, slot.reason);
        }
    }

    /** Changes a full Fetch, in place, so that the broker keeps no session; ignores other frames. */
    public void declineSession(RequestSlot request) {
        ByteBuffer frame = PooledMemory.frame(request.wire);
        int body = bodyOf(request, frame);
        if (fetch.wrap(frame, body, request.apiVersion)
                && fetch.sessionId == 0
                && fetch.session().isFull()) {
            SessionlessFetch.patch(frame, body, request.apiVersion);
        }
    }

    /** Lowers the size limit of a Fetch's answer, in place; ignores other frames. A broker has such a limit, too. */
    void limitFetch(RequestSlot request, int mostBytes) {
        ByteBuffer frame = PooledMemory.frame(request.wire);
        int session = SessionlessFetch.sessionIdPosition(frame, bodyOf(request, frame), request.apiVersion);
        int maxBytes = session - MAX_BYTES_BEFORE_SESSION;
        if (session >= 0 && frame.getInt(maxBytes) > mostBytes) {
            frame.putInt(maxBytes, mostBytes);
        }
    }

    /** Index of the body in that buffer; -1 if the header is malformed. */
    private static int bodyOf(RequestSlot request, ByteBuffer frame) {
        return request.bodyPosition < 0 ? -1 : frame.position() + request.bodyPosition;
    }
}
