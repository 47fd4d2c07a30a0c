// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.ring.OutgoingRequest;
import java.nio.ByteBuffer;

/**
 * A client's request that is offered to the fast path. Confined to the client's event loop. Exactly one of the answers
 * must be given; if it is cancelled, they are accepted and dropped. Responses may be given in any order, the session
 * puts them in request order.
 */
public interface PendingRequest extends OutgoingRequest {
    /** Of a frame's size, which counts what comes behind it. */
    int SIZE_BYTES = Integer.BYTES;

    short apiKey();

    short apiVersion();

    int correlationId();

    /** Answers with a response frame, 4-byte size (big endian) first. Takes ownership of the buffer. */
    void respond(ByteBuf response);

    /** The same for a Fetch, whose answer holds that many records. */
    default void respond(ByteBuf response, long recordCount) {
        respond(response);
    }

    /** Nothing is to be sent (acks=0). */
    void respondNothing();

    /** Nothing has been done: forward the untouched frame over TCP. */
    void fallBack(FallbackReason reason);

    /**
     * Nothing has been done: forward another request in its place over TCP, and answer with what becomes of its
     * response.
     *
     * @param frame from the request header on, without the 4-byte size, position to limit; with the correlation id of
     *     this request; read before this returns
     */
    void fallBack(FallbackReason reason, ByteBuffer frame, AnswerTranslation translation);

    /**
     * The broker would close, or the outcome is unknown: close the client's connection, so that its own retry rules
     * apply.
     */
    void closeConnection(String reason);
}
