// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseView;
import io.slipstream.protocol.fetch.SessionlessFetch;
import io.slipstream.protocol.produce.ProduceRequestView;
import io.slipstream.protocol.record.BatchSink;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.proxy.count.PartitionTable;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Counts the records of Produce and Fetch frames without decoding them. Confined to one thread. */
public final class FrameCounts {
    /** maxBytes i32 and isolationLevel i8. */
    private static final int MAX_BYTES_BEFORE_SESSION = Integer.BYTES + 1;

    private final RequestHeaderView header = new RequestHeaderView();
    private final ProduceRequestView produce = new ProduceRequestView();
    private final FetchRequestView fetch = new FetchRequestView();
    private final FetchResponseView fetched = FetchResponseView.counting(false);
    private final BatchSink onProduced = this::onProduced;
    private final Consumer<FetchResponseView> onFetched = this::onFetched;
    private final PartitionTable partitions;
    /** The request that is counted, or whose answer is. */
    private RequestSlot slot;

    private ByteBuffer produced;

    /** @param partitions the thread's own table, which is updated, too */
    public FrameCounts(PartitionTable partitions) {
        this.partitions = partitions;
    }

    /** Number of records in the slot's Produce request, as far as it can be read. */
    public long ofProduceRequest(RequestSlot request) {
        slot = request;
        produced = RequestHeaders.frame(slot.wire);
        if (!header.wrap(produced)) {
            return 0;
        }
        produce.wrap(produced, header.bodyPosition, header.apiVersion, onProduced);
        return produce.recordCount;
    }

    private void onProduced(int topicStart, int topicLength, int partition, int records, int bytes) {
        partitions
                .of(produced, topicStart, topicLength, ProduceRequestView.hasTopicIds(header.apiVersion), partition)
                .produced(records, bytes, slot.answeredByRdma, slot.reason);
    }

    /** Adds the records in the response to the slot's Fetch, as far as it can be read. */
    void addFetchResponse(RequestSlot request, ByteBuf response) {
        slot = request;
        fetched.walk(RequestHeaders.frame(response), request.apiVersion, onFetched);
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
    public void declineSession(ByteBuf wire) {
        ByteBuffer frame = RequestHeaders.frame(wire);
        if (header.wrap(frame)
                && fetch.wrap(frame, header.bodyPosition, header.apiVersion)
                && fetch.sessionId == 0
                && fetch.session().isFull()) {
            SessionlessFetch.patch(frame, header.bodyPosition, header.apiVersion);
        }
    }

    /** Lowers the size limit of a Fetch's answer, in place; ignores other frames. A broker has such a limit, too. */
    void limitFetch(ByteBuf wire, int mostBytes) {
        ByteBuffer frame = RequestHeaders.frame(wire);
        if (header.wrap(frame)) {
            int session = SessionlessFetch.sessionIdPosition(frame, header.bodyPosition, header.apiVersion);
            int maxBytes = session - MAX_BYTES_BEFORE_SESSION;
            if (session >= 0 && frame.getInt(maxBytes) > mostBytes) {
                frame.putInt(maxBytes, mostBytes);
            }
        }
    }
}
