// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.ring.OutgoingRequest;
import java.nio.ByteBuffer;

/**
 * A client's request that is submitted to the fast path. Confined to the client's event loop. Exactly one answer must
 * be given; answers to a cancelled request are accepted and dropped. Answers may be given in any order; the session
 * sends them in request order.
 */
public abstract class PendingRequest implements OutgoingRequest {
    /** Bytes of a frame's size field, which counts the bytes after it. */
    public static final int SIZE_BYTES = Integer.BYTES;

    // The request's header, set before it is submitted.
    public short apiKey;
    public short apiVersion;
    public int correlationId;
    /** Position of the body in {@link #frame}; -1 if the API or version is unknown or the header malformed. */
    public int bodyPosition;
    /** Whether this is a Produce request that can travel in the ring. */
    public boolean produceForRing;

    /** Answers with a response frame, which starts with its 4-byte size (big-endian). Takes ownership of the buffer. */
    public abstract void respond(ByteBuf response);

    /** Answers with a response frame in which no address needs to be replaced. */
    public void respondAsIs(ByteBuf response) {
        respond(response);
    }

    /** Answers a Fetch with a response frame that holds that many records. */
    public void respond(ByteBuf response, long recordCount) {
        respond(response);
    }

    /** Ends a request without a response (acks=0). */
    public abstract void respondNothing();

    /** The fast path has done nothing: the unchanged frame is forwarded over TCP. */
    public abstract void fallBack(FallbackReason reason);

    /**
     * The fast path has done nothing: another request is forwarded over TCP instead, and its response is translated.
     *
     * @param frame from the request header on, without the 4-byte size, position to limit; with the correlation id of
     *     this request; read before this returns
     */
    public abstract void fallBack(FallbackReason reason, ByteBuffer frame, AnswerTranslation translation);

    /**
     * Closes the client's connection so that the client's own retry rules apply. The broker would close it, or an
     * outcome is unknown.
     */
    public abstract void closeConnection(String reason);
}
