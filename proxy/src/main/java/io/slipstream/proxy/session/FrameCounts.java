// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseView;
import io.slipstream.protocol.fetch.SessionlessFetch;
import io.slipstream.protocol.produce.ProduceEligibility;
import io.slipstream.protocol.produce.ProduceRequestView;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.count.PartitionTable;
import java.nio.ByteBuffer;

/** Counts the records of Produce and Fetch frames without decoding them. Confined to one thread. */
public final class FrameCounts {
    /** maxBytes i32 and isolationLevel i8. */
    private static final int MAX_BYTES_BEFORE_SESSION = Integer.BYTES + 1;

    private final RequestHeaderView header = new RequestHeaderView();
    private final ProduceRequestView produce = new ProduceRequestView();
    private final FetchRequestView fetch = new FetchRequestView();
    private final FetchResponseView fetched = new FetchResponseView();
    private final PartitionTable partitions;

    /** @param partitions the thread's own table, which is updated, too */
    public FrameCounts(PartitionTable partitions) {
        this.partitions = partitions;
    }

    /** Number of records in the slot's Produce request; 0 if it is malformed or of an unknown version. */
    public long ofProduceRequest(RequestSlot slot) {
        ByteBuffer frame = frame(slot.wire, true);
        if (!header.wrap(frame)) {
            return 0;
        }
        short version = header.apiVersion();
        produce.wrap(frame, header.bodyPosition(), version);
        if (produce.eligibility() != ProduceEligibility.MALFORMED
                && produce.eligibility() != ProduceEligibility.UNSUPPORTED_VERSION) {
            boolean ids = ProduceRequestView.hasTopicIds(version);
            for (int i = 0; i < produce.places(); i++) {
                partitions
                        .of(frame, produce.topicStart(i), produce.topicLength(i), ids, produce.partition(i))
                        .produced(produce.batchRecords(i), produce.batchLength(i), slot.answeredByRdma, slot.reason);
            }
        }
        return produce.recordCount();
    }

    /** Number of records in the response to the slot's Fetch. */
    long ofFetchResponse(RequestSlot slot, ByteBuf response, boolean hasSize) {
        ByteBuffer frame = frame(response, hasSize);
        if (!fetched.wrap(frame, slot.apiVersion)) {
            return 0;
        }
        boolean ids = FetchResponseView.hasTopicIds(slot.apiVersion);
        for (int i = 0; i < fetched.places(); i++) {
            partitions
                    .of(frame, fetched.topicStart(i), fetched.topicLength(i), ids, fetched.partition(i))
                    .fetched(fetched.recordCount(i), fetched.recordBytes(i), false, slot.reason);
        }
        return fetched.recordCount();
    }

    /** Changes a full Fetch, in place, so that the broker keeps no session; ignores other frames. */
    public void declineSession(ByteBuf wire) {
        ByteBuffer frame = frame(wire, true);
        if (header.wrap(frame)
                && fetch.wrap(frame, header.bodyPosition(), header.apiVersion())
                && fetch.sessionId() == 0
                && fetch.session().isFull()) {
            SessionlessFetch.patch(frame, header.bodyPosition(), header.apiVersion());
        }
    }

    /** Lowers the size limit of a Fetch's answer, in place; ignores other frames. A broker has such a limit, too. */
    void limitFetch(ByteBuf wire, int mostBytes) {
        ByteBuffer frame = frame(wire, true);
        if (header.wrap(frame)) {
            int session = SessionlessFetch.sessionIdPosition(frame, header.bodyPosition(), header.apiVersion());
            int maxBytes = session - MAX_BYTES_BEFORE_SESSION;
            if (session >= 0 && frame.getInt(maxBytes) > mostBytes) {
                frame.putInt(maxBytes, mostBytes);
            }
        }
    }

    private static ByteBuffer frame(ByteBuf buffer, boolean hasSize) {
        int sizeBytes = hasSize ? FrameDecoder.SIZE_BYTES : 0;
        return PooledMemory.view(buffer, buffer.readerIndex() + sizeBytes, buffer.readableBytes() - sizeBytes);
    }
}
