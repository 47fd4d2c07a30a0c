// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;

/**
 * A request handed over by the proxy's session. It accepts exactly one answer, and none after its connection closed.
 */
final class ClientRequest implements PendingRequest {
    /** The sender. */
    interface Sender {
        void onResponse(byte[] response);

        void onNothing();
    }

    private final Connection connection;
    private final Sender sender;
    private final int correlationId;
    private final ByteBuf frame;
    private AnswerTranslation translation;
    private boolean answered;
    private boolean released;

    ClientRequest(Connection connection, Sender sender, int correlationId, byte[] bytes) {
        this.connection = connection;
        this.sender = sender;
        this.correlationId = correlationId;
        this.frame = connection.proxy().allocator().directBuffer(bytes.length).writeBytes(bytes);
    }

    Sender sender() {
        return sender;
    }

    @Override
    public short apiKey() {
        return frame.getShort(0);
    }

    @Override
    public short apiVersion() {
        return frame.getShort(2);
    }

    @Override
    public int correlationId() {
        return correlationId;
    }

    @Override
    public ByteBuf frame() {
        return frame;
    }

    @Override
    public boolean isCancelled() {
        return connection.isClosed();
    }

    /** Returns false if the answer is no longer awaited. */
    private boolean take(String answer) {
        if (isCancelled()) {
            return false;
        }
        if (answered) {
            connection.world().violate("answers", "request " + correlationId + " is answered twice, with " + answer);
            return false;
        }
        answered = true;
        return true;
    }

    @Override
    public void respond(ByteBuf response) {
        if (take("a response")) {
            byte[] bytes = new byte[response.readInt()];
            response.readBytes(bytes);
            if (response.isReadable()) {
                throw new IllegalStateException(response.readableBytes() + " bytes behind a response");
            }
            connection.answeredByRdma(this);
            sender.onResponse(bytes);
            free();
        }
        response.release();
    }

    @Override
    public void respondNothing() {
        if (take("nothing")) {
            connection.answeredByRdma(this);
            sender.onNothing();
            free();
        }
    }

    @Override
    public void fallBack(FallbackReason reason) {
        if (take("a fall-back")) {
            byte[] bytes = new byte[frame.readableBytes()];
            frame.getBytes(frame.readerIndex(), bytes);
            free();
            connection.overTcp(this, bytes, reason);
        }
    }

    @Override
    public void fallBack(FallbackReason reason, ByteBuffer other, AnswerTranslation answerTranslation) {
        if (take("a fall-back")) {
            byte[] bytes = new byte[other.remaining()];
            other.get(bytes);
            translation = answerTranslation;
            free();
            connection.overTcp(this, bytes, reason);
        }
    }

    /** Returns the client's view of the broker's answer. */
    byte[] answerOf(byte[] response) {
        if (translation == null || response == null) {
            return response;
        }
        ByteBuf answer = translation.translate(
                Unpooled.wrappedBuffer(response), connection.proxy().allocator());
        byte[] bytes = new byte[answer.readableBytes()];
        answer.readBytes(bytes);
        answer.release();
        return bytes;
    }

    @Override
    public void closeConnection(String reason) {
        if (take("a close")) {
            free();
            connection.close(reason);
        }
    }

    /** The session releases the request. */
    void free() {
        if (!released) {
            released = true;
            frame.release();
        }
    }
}
