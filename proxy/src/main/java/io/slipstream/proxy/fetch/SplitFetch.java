// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseMerge;
import io.slipstream.protocol.fetch.SessionlessFetchWriter;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;

/**
 * One Fetch that is divided: RDMA serves some partitions, and the broker is asked for the rest, which only it can
 * answer. The view shows the first kind, in the order of serving, so {@link FetchAttempt} reads them as a smaller
 * request.
 *
 * <p>A divided Fetch never waits here. With enough records by RDMA, the broker is asked for the rest at once, for no
 * wait, and both answers are merged. Otherwise the broker gets the whole request and waits for either side, for at most
 * the client's wait. Either side may have any number of partitions. What RDMA read counts against the budget until it
 * is merged. Confined to the event loop.
 */
final class SplitFetch implements AnswerTranslation {
    private static final int SIZE_BYTES = PendingRequest.SIZE_BYTES;

    private final FetchRequestView view;
    private final OutboundBudget budget;
    private final short version;
    /** The whole request as the view showed it, and in the order of serving. */
    private final FetchPartitions whole;

    private final FetchPartitions asked = new FetchPartitions();
    private final FetchPartitions served = new FetchPartitions();
    /** By entry of {@link #asked}. */
    private final boolean[] byBroker;
    /** By entry of {@link #asked}: bytes that were read. */
    private final int[] readBytes;
    /** The first reason against RDMA. */
    FallbackReason reason;

    private int maxBytes;
    /** The answer by RDMA, with its size and in one piece, until it is merged or released. */
    private ByteBuf part;

    private int budgetedBytes;
    private long records;
    private AnswerTranslation ofSession;

    /** @param order the view's entries in the order of serving */
    SplitFetch(FetchRequestView view, int[] order, OutboundBudget budget) {
        this.view = view;
        this.budget = budget;
        this.version = view.version;
        this.whole = view.partitions;
        this.byBroker = new boolean[whole.count];
        this.readBytes = new int[whole.count];
        asked.own();
        for (int k = 0; k < whole.count; k++) {
            asked.append(whole, order[k]);
        }
    }

    /**
     * Leaves the entries that the plan refuses to the broker; false if none would remain.
     *
     * @param order the view's entries in the order of serving
     */
    boolean divide(ReadPlan plan, int[] order, Cursor[] cursors, long nowNs) {
        served.own();
        int shown = 0;
        for (int k = 0; k < byBroker.length; k++) {
            if (!byBroker[k]) {
                int entry = order[shown++];
                FallbackReason refusal = plan.entries[entry].refusal;
                byBroker[k] = refusal != null;
                if (refusal == null) {
                    served.append(asked, k);
                } else {
                    cursors[entry].refuse(refusal, nowNs);
                    reason = reason == null ? refusal : reason;
                }
            }
        }
        view.show(served);
        return served.count > 0;
    }

    /**
     * Whether the broker answers the whole request. RDMA has too little to serve, and the broker waits for all
     * partitions. Or RDMA has more than the request's limit leaves: how the limit is shared depends on the records of
     * the rest, too.
     */
    boolean leavesAll(ReadPlan plan) {
        return plan.kind == ReadPlan.Kind.WAIT
                || plan.kind == ReadPlan.Kind.READ && (plan.partitionsToRead == 0 || plan.isLimited);
    }

    /** The view shows the whole request again. */
    void end() {
        view.show(whole);
    }

    /**
     * The request for the rest. It has what the limit leaves after the records that precede the rest in the answer.
     *
     * @param entries 0, 1, 2 …
     */
    ByteBuffer rest(ByteBuffer frame, int bodyPosition, ReadPlan plan, int limitBytes, int[] entries) {
        FetchPartitions rest = new FetchPartitions();
        rest.own();
        maxBytes = limitBytes;
        view.maxBytes = limitBytes;
        view.maxWaitMs = 0;
        for (int k = 0; k < byBroker.length; k++) {
            if (byBroker[k]) {
                rest.append(asked, k);
                continue;
            }
            readBytes[k] = plan.entries[k - rest.count].lengthBytes;
            if (rest.count == 0) {
                view.maxBytes = Math.max(0, view.maxBytes - readBytes[k]);
            }
        }
        view.show(rest);
        return new SessionlessFetchWriter()
                .write(frame, bodyPosition, view, entries)
                .flip();
    }

    /** Takes the answer by RDMA, unless this throws, and what makes a full answer one of the client's session. */
    void hold(ByteBuf answer, long recordCount, AnswerTranslation inSession) {
        int bytes = answer.readableBytes();
        part = answer.nioBufferCount() == 1
                ? answer.retain()
                : answer.alloc().directBuffer(bytes).writeBytes(answer);
        answer.release();
        records = recordCount;
        ofSession = inSession;
        budgetedBytes = bytes;
        budget.add(OutboundBudget.Kind.READ, budgetedBytes);
    }

    @Override
    public ByteBuf merge(ByteBuf rest) {
        ByteBuffer ofRdma = PooledMemory.frame(part);
        ByteBuffer ofBroker = PooledMemory.frame(rest);
        FetchResponseMerge merge = new FetchResponseMerge(version, asked, byBroker);
        int mostBytes = merge.read(ofRdma, ofBroker);
        if (mostBytes <= 0) {
            return null;
        }
        ByteBuf merged = rest.alloc().directBuffer(SIZE_BYTES + mostBytes);
        ByteBuffer out = merged.nioBuffer(SIZE_BYTES, mostBytes);
        merge.write(out, ofRdma, ofBroker, maxBytes, readBytes);
        return merged.writeInt(out.position()).writerIndex(SIZE_BYTES + out.position());
    }

    @Override
    public int translate(ByteBuffer response) {
        return ofSession == null ? response.remaining() : ofSession.translate(response);
    }

    @Override
    public long records() {
        return records;
    }

    @Override
    public void release() {
        if (part != null) {
            part.release();
            part = null;
            budget.giveBack(OutboundBudget.Kind.READ, budgetedBytes);
        }
    }
}
