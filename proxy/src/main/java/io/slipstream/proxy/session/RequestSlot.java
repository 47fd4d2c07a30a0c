// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.proxy.count.PartitionActivity;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;

/**
 * One request of a client connection from its last byte read to its answer written. Made once for each place of the
 * {@link ResponseSequencer} and used again for later requests. Confined to the event loop.
 *
 * <pre>
 *   FREE ──take──▶ QUEUED ──forward──▶ UPSTREAM ──reply──▶ REPLIED ──adapted──▶ DONE ──written──▶ FREE
 *                   │  ▲                  └─(acks=0)────────────│──────────────▶ ▲
 *                 submit └─fallBack─┐                           │
 *                   └──────────▶ FAST ──respond, respondNothing─┘
 * </pre>
 */
public final class RequestSlot extends PendingRequest {
    enum State {
        FREE,
        /** Read from the client, not sent yet. */
        QUEUED,
        /** Submitted to the fast path. */
        FAST,
        /** Forwarded; its response arrives over TCP. */
        UPSTREAM,
        /** The answer is here, as it came; it waits for the session's turn. */
        REPLIED,
        /** Answered; waits for earlier answers. */
        DONE
    }

    /** Not a request with a header: a SASL token after SaslHandshake v0. */
    static final short RAW = -1;

    private final RequestDispatcher dispatcher;

    State state = State.FREE;
    /** Position in the connection's sequence of requests. */
    long sequence;

    long receivedNs;
    /** Frame with its size, until it was forwarded or answered. */
    public ByteBuf wire;
    /** Answer with or without its size prefix; null for none. */
    ByteBuf response;

    boolean responseHasSize;
    /** Translates the broker's answer; null if it needs no translation. */
    AnswerTranslation translation;

    /** False for Produce with acks=0. */
    public boolean expectsResponse;
    /** TCP was decided, by choice or by fallback. */
    boolean overTcp;

    boolean answeredByRdma;
    /** Nothing of the response needs to be replaced. */
    boolean namesNoBroker;
    /** Reason why it takes TCP although its API could use RDMA; null if it does not. */
    FallbackReason reason;

    /** Records of a Produce request, or of the response to a Fetch. */
    public long records;
    /** The partition of a Produce request; null if it has several or none. */
    PartitionActivity partition;
    /** Bytes of the records for that partition. */
    int partitionBytes;
    /** Bytes of the response that the broker gave beside a part by RDMA. */
    int restBytes;
    /** Bytes of the answer that were written before the rest of it arrived, with its size. */
    int passedBytes;

    int requestBytes;
    /** Bytes of the answer that {@link AnswerWriter} counts until it is written. */
    int heldBytes;

    private ByteBuf frame;

    public RequestSlot(RequestDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    @Override
    public ByteBuf frame() {
        if (frame == null) {
            frame = wire.retainedSlice(
                    wire.readerIndex() + FrameDecoder.SIZE_BYTES, wire.readableBytes() - FrameDecoder.SIZE_BYTES);
        }
        return frame;
    }

    @Override
    public boolean isCancelled() {
        return dispatcher.closed;
    }

    @Override
    public void respond(ByteBuf answer) {
        if (isAwaited()) {
            answeredByRdma = true;
            reply(answer);
        } else {
            ReferenceCountUtil.release(answer);
        }
    }

    @Override
    public void respondAsIs(ByteBuf answer) {
        namesNoBroker = true;
        respond(answer);
    }

    @Override
    public void respond(ByteBuf answer, long recordCount) {
        records = recordCount;
        respond(answer);
    }

    @Override
    public void respondNothing() {
        respond(null);
    }

    /** Takes the answer, with its size, over either path; the session's turn goes on with it. Null for none. */
    void reply(ByteBuf answer) {
        response = answer;
        responseHasSize = true;
        state = State.REPLIED;
        dispatcher.onReply(this);
    }

    @Override
    public void fallBack(FallbackReason why) {
        if (isAwaited()) {
            overTcp = true;
            dispatcher.onFallBack(this, why);
        }
    }

    @Override
    public void fallBack(FallbackReason why, ByteBuffer otherFrame, AnswerTranslation answerTranslation) {
        translation = answerTranslation;
        if (!isAwaited()) {
            releaseTranslation();
            return;
        }
        int sizeBytes = otherFrame.remaining();
        ByteBuf other = wire.alloc()
                .directBuffer(FrameDecoder.SIZE_BYTES + sizeBytes)
                .writeInt(sizeBytes)
                .writeBytes(otherFrame);
        releaseRequest();
        wire = other;
        fallBack(why);
    }

    @Override
    public void closeConnection(String why) {
        if (isAwaited()) {
            dispatcher.session.close(DisconnectCause.FAST_PATH, why);
        }
    }

    /** Whether an answer counts; one to a cancelled request does not. */
    private boolean isAwaited() {
        if (!isCancelled() && state != State.FAST) {
            throw new IllegalStateException("request " + sequence + " was answered twice or not submitted: " + state);
        }
        return !isCancelled();
    }

    /** Removes the frame from the slot, for forwarding. */
    ByteBuf detachWire() {
        releaseFrame();
        ByteBuf detached = wire;
        wire = null;
        return detached;
    }

    /** Removes the response from the slot, for writing. */
    ByteBuf detachResponse() {
        ByteBuf detached = response;
        response = null;
        return detached;
    }

    void releaseRequest() {
        releaseFrame();
        if (wire != null) {
            wire.release();
            wire = null;
        }
    }

    void free() {
        releaseRequest();
        if (response != null) {
            response.release();
            response = null;
        }
        state = State.FREE;
        overTcp = false;
        answeredByRdma = false;
        namesNoBroker = false;
        reason = null;
        records = 0;
        restBytes = 0;
        passedBytes = 0;
        heldBytes = 0;
        if (translation != null) {
            releaseTranslation();
        }
    }

    /** Whether the broker is asked only for what RDMA does not serve. */
    boolean isDivided() {
        return translation != null && translation.records() >= 0;
    }

    private void releaseTranslation() {
        translation.release();
        translation = null;
    }

    private void releaseFrame() {
        if (frame != null) {
            frame.release();
            frame = null;
        }
    }
}
