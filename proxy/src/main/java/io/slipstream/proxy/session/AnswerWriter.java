// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.count.ClientActivity;

/**
 * Writes answers to the client and counts them, and flushes both sockets. Confined to the event loop; called only in
 * the session's turn and at its end.
 */
final class AnswerWriter implements ResponseSequencer.Writer {
    private final Channel client;
    private final SessionMeters meters;
    private final OutboundBudget budget;
    private final ClientActivity activity;
    /** Null until the session is connected. */
    UpstreamConnection upstream;

    private boolean clientUnflushed;
    /** Bytes of answers above {@link OutboundBudget#SMALL_BYTES} that are not written yet. */
    private long heldBytes;
    /** Bytes taken from the budget: those held, and those written. */
    private long unsentBytes;
    /** Bytes that the budget counts already, for an answer that is passed on part by part. */
    int reservedBytes;

    private final StallClock stall = new StallClock();

    AnswerWriter(Channel client, SessionContext context, ClientActivity activity) {
        this.client = client;
        this.meters = context.meters;
        this.budget = context.outbound;
        this.activity = activity;
    }

    /** Writes a part of the next answer; more of it follows. */
    void pass(RequestSlot slot, ByteBuf part) {
        slot.passedBytes += part.readableBytes();
        reservedBytes = FrameDecoder.PASSING_BYTES;
        client.write(part, client.voidPromise());
        clientUnflushed = true;
    }

    /** Counts the answer from now on, until it is written. */
    void hold(RequestSlot slot) {
        if (slot.response != null && slot.response.readableBytes() > OutboundBudget.SMALL_BYTES) {
            slot.heldBytes = slot.response.readableBytes();
            heldBytes += slot.heldBytes;
            countUnsent();
        }
    }

    @Override
    public void write(RequestSlot slot) {
        ApiMeters counted = meters.of(slot.apiKey, slot.answeredByRdma);
        counted.requests().increment();
        counted.requestBytes().add(slot.requestBytes);
        counted.records().add(slot.records);
        meters.inFlight.decrement();
        if (slot.response != null) {
            ByteBuf response = slot.detachResponse();
            int sizeBytes = slot.passedBytes + response.readableBytes();
            heldBytes -= slot.heldBytes;
            if (slot.responseHasSize) {
                sizeBytes -= FrameDecoder.SIZE_BYTES;
            } else {
                client.write(
                        client.alloc().directBuffer(FrameDecoder.SIZE_BYTES).writeInt(sizeBytes), client.voidPromise());
            }
            client.write(response, client.voidPromise());
            clientUnflushed = true;
            if (slot.heldBytes > 0 || sizeBytes > OutboundBudget.SMALL_BYTES) {
                countUnsent();
            }
            counted.responseBytes().add(Math.max(0, sizeBytes - slot.restBytes));
            activity.sent(sizeBytes);
        }
        long latencyNs = System.nanoTime() - slot.receivedNs;
        counted.latency().recordNs(latencyNs);
        activity.answered(slot.apiKey, slot.answeredByRdma, slot.records, latencyNs);
    }

    /** The answers that are not written will not be. */
    void drop() {
        heldBytes = 0;
        countUnsent();
    }

    void flush() {
        if (upstream != null) {
            upstream.flush();
        }
        if (clientUnflushed) {
            clientUnflushed = false;
            client.flush();
            if (unsentBytes > 0) {
                // With TLS the flush replaced them by encrypted ones, without an event.
                countUnsent();
            }
        }
    }

    /** Whether the client has taken nothing for that time, call by call, while bytes wait for it. */
    boolean isStalled(long nowNs, long timeoutNs) {
        ChannelOutboundBuffer unsent = client.unsafe().outboundBuffer();
        return unsent != null
                && stall.isStalled(unsent.totalPendingWriteBytes(), unsent.currentProgress(), nowNs, timeoutNs);
    }

    /**
     * Counts the bytes that the client's socket has not taken. Those of a writable channel are few; the channel reports
     * when it is not, and when it is again. A buffer counts until the last of its bytes was taken.
     */
    void countUnsent() {
        ChannelOutboundBuffer unsent = client.unsafe().outboundBuffer();
        long writtenBytes = unsent == null || client.isWritable() ? 0 : unsent.totalPendingWriteBytes();
        long nowBytes = heldBytes + Math.max(0, writtenBytes - reservedBytes);
        long moreBytes = nowBytes - unsentBytes;
        unsentBytes = nowBytes;
        if (moreBytes > 0) {
            budget.add(OutboundBudget.Kind.UNSENT, moreBytes);
        } else {
            budget.giveBack(OutboundBudget.Kind.UNSENT, -moreBytes);
        }
    }
}
