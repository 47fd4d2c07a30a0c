// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;

/**
 * One request of a client connection from its last byte read to its answer written. Made once for each place of the
 * {@link ResponseSequencer} and used again for later requests. Confined to the event loop.
 *
 * <pre>
 *   FREE ──take──▶ QUEUED ──forward──▶ UPSTREAM ──response──▶ DONE ──written──▶ FREE
 *                   │  ▲                  └─(acks=0)─────────▶ ▲
 *                 submit └─fallBack─┐                          │
 *                   └──────────▶ FAST ──respond, respondNothing┘
 * </pre>
 */
public final class RequestSlot implements PendingRequest {
    enum State {
        FREE,
        /** Read from the client, not yet on its way. */
        QUEUED,
        /** In the hands of the fast path. */
        FAST,
        /** Forwarded; its response will come over TCP. */
        UPSTREAM,
        /** Answered; waits for the answers before it. */
        DONE
    }

    /** Not a request with a header: a token of SASL after SaslHandshake v0. */
    static final short RAW = -1;

    private final RequestDispatcher dispatcher;

    State state = State.FREE;
    /** Place in the connection's sequence of requests. */
    long sequence;

    short apiKey;
    short apiVersion;
    int correlationId;
    long receivedNs;
    /** Frame with its size, until it was forwarded or answered. */
    public ByteBuf wire;
    /** Answer with or without its size prefix; null for none. */
    ByteBuf response;

    boolean responseHasSize;
    /** Makes the answer of the broker's; null if they are the same. */
    AnswerTranslation translation;

    /** False for Produce with acks=0. */
    boolean expectsResponse;
    /** TCP was decided, by choice or by fallback. */
    boolean overTcp;

    boolean answeredByRdma;
    /** Its batches went straight into segments. */
    /** Why it takes TCP although its kind could go by RDMA; null if it does not. */
    FallbackReason reason;

    long records;
    int requestBytes;

    private ByteBuf frame;

    public RequestSlot(RequestDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    @Override
    public short apiKey() {
        return apiKey;
    }

    @Override
    public short apiVersion() {
        return apiVersion;
    }

    @Override
    public int correlationId() {
        return correlationId;
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
        return dispatcher.isClosed();
    }

    @Override
    public void respond(ByteBuf answer) {
        if (isCancelled()) {
            answer.release();
            return;
        }
        requireFast();
        response = answer;
        responseHasSize = true;
        answeredByRdma = true;
        dispatcher.onFastAnswer(this);
    }

    @Override
    public void respond(ByteBuf answer, long recordCount) {
        records = recordCount;
        respond(answer);
    }

    @Override
    public void respondNothing() {
        if (isCancelled()) {
            return;
        }
        requireFast();
        answeredByRdma = true;
        dispatcher.onFastAnswer(this);
    }

    @Override
    public void fallBack(FallbackReason why) {
        if (isCancelled()) {
            return;
        }
        requireFast();
        overTcp = true;
        dispatcher.onFallBack(this, why);
    }

    @Override
    public void fallBack(FallbackReason why, ByteBuffer otherFrame, AnswerTranslation answerTranslation) {
        if (isCancelled()) {
            return;
        }
        requireFast();
        int sizeBytes = otherFrame.remaining();
        ByteBuf other = wire.alloc().directBuffer(FrameDecoder.SIZE_BYTES + sizeBytes);
        releaseRequest();
        wire = other.writeInt(sizeBytes).writeBytes(otherFrame);
        translation = answerTranslation;
        fallBack(why);
    }

    @Override
    public void closeConnection(String why) {
        if (isCancelled()) {
            return;
        }
        requireFast();
        dispatcher.onCloseRequested(why);
    }

    private void requireFast() {
        if (state != State.FAST) {
            throw new IllegalStateException("request " + sequence + " was answered twice or not handed over: " + state);
        }
    }

    /** Takes the frame away, for forwarding. */
    ByteBuf detachWire() {
        releaseFrame();
        ByteBuf detached = wire;
        wire = null;
        return detached;
    }

    /** Takes the response away, for writing. */
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
        expectsResponse = true;
        reason = null;
        records = 0;
        translation = null;
    }

    private void releaseFrame() {
        if (frame != null) {
            frame.release();
            frame = null;
        }
    }
}
