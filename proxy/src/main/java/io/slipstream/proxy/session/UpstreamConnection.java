// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.net.TlsFailure;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The broker side of a client connection: one TCP connection on the client's event loop. A broker answers one
 * connection's requests in order, so a FIFO queue of sent requests assigns each response to a request of the client or
 * of the proxy itself. Correlation ids are compared, not translated. Confined to the event loop.
 */
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
    private static final int CORRELATION_ID = 4;

    /** Receives the events of this connection. */
    interface Events {
        /** Something may be sent or written: has the session take its turn. */
        void mark();

        /** Closes the client's connection and this one. */
        void close(DisconnectCause cause, String detail);
    }

    /** A request of the proxy itself. */
    private record OwnRequest(int correlationId, Consumer<ByteBuf> onResponse) {}

    private final Events events;
    private final ResponseIntake responses;
    private final Channel channel;
    /** {@link RequestSlot} or {@link OwnRequest}, in the order of sending. */
    private final ArrayDeque<Object> expected = new ArrayDeque<>();

    /** Number of sent requests that expect an answer. */
    long sent;
    /** Number of answered requests. */
    long answered;

    boolean unflushed;
    private boolean closed;
    /** Whether the client takes responses. */
    private boolean reading = true;
    /** Time of the last write or read; {@link System#nanoTime()}. */
    long lastUseNs = System.nanoTime();

    /** @param responses passes on large responses */
    UpstreamConnection(Channel channel, Events events, ResponseIntake responses) {
        this.channel = channel;
        this.events = events;
        this.responses = responses;
    }

    void forward(RequestSlot slot) {
        if (slot.expectsResponse) {
            expected.add(slot);
            sent++;
        }
        write(slot.detachWire());
    }

    /** Sends a request of the proxy itself; {@code frame} has no size prefix. */
    void sendOwn(ByteBuf frame, Consumer<ByteBuf> onResponse) {
        if (closed) {
            frame.release();
            onResponse.accept(null);
            return;
        }
        expected.add(new OwnRequest(frame.getInt(frame.readerIndex() + CORRELATION_ID), onResponse));
        sent++;
        channel.write(
                channel.alloc().directBuffer(FrameDecoder.SIZE_BYTES).writeInt(frame.readableBytes()),
                channel.voidPromise());
        write(frame);
    }

    private void write(ByteBuf frame) {
        unflushed = true;
        lastUseNs = System.nanoTime();
        channel.write(frame, channel.voidPromise());
    }

    void flush() {
        if (unflushed) {
            unflushed = false;
            channel.flush();
        }
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    void setReading(boolean wanted) {
        reading = wanted;
        FrameDecoder decoder = channel.pipeline().get(FrameDecoder.class);
        boolean reads = wanted && (decoder == null || !decoder.awaitsBudget);
        if (channel.config().isAutoRead() != reads && channel.isActive()) {
            channel.config().setAutoRead(reads);
        }
    }

    /** Whether {@link #pass} takes the response that begins here, with its size and correlation id. */
    boolean passes(ByteBuf response) {
        return !closed
                && expected.peek() instanceof RequestSlot slot
                && isAnswerTo(slot.correlationId, response)
                && responses.passes(slot);
    }

    /**
     * Passes on received bytes and returns their number. The others must come again, with more behind them.
     *
     * @param leftBytes bytes of the response from the reader index on; there may be fewer or more here
     */
    int pass(ByteBuf received, int leftBytes) {
        lastUseNs = System.nanoTime();
        if (closed) {
            int lostBytes = Math.min(received.readableBytes(), leftBytes);
            received.skipBytes(lostBytes);
            return lostBytes;
        }
        int bytes = responses.pass((RequestSlot) expected.peek(), received, leftBytes);
        if (bytes == leftBytes) {
            expected.poll();
            answered++;
        }
        return bytes;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == FrameDecoder.BUDGET_TAKEN) {
            setReading(reading);
        }
    }

    /** Closes after written data was sent. Idempotent. */
    void close() {
        if (!closed) {
            closed = true;
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            failExpected();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf wire = (ByteBuf) message;
        lastUseNs = System.nanoTime();
        Object request = closed ? null : expected.poll();
        if (request == null) {
            wire.release();
            if (!closed) {
                fail(DisconnectCause.UPSTREAM_PROTOCOL, "a response without a request");
            }
            return;
        }
        answered++;
        if (request instanceof RequestSlot slot) {
            onSlotResponse(slot, wire);
        } else {
            onOwnResponse((OwnRequest) request, wire);
        }
    }

    private void onSlotResponse(RequestSlot slot, ByteBuf wire) {
        if (slot.apiKey != RequestSlot.RAW && !isAnswerTo(slot.correlationId, wire)) {
            wire.release();
            fail(
                    DisconnectCause.UPSTREAM_PROTOCOL,
                    "a response whose correlation id differs from that of request " + slot.correlationId);
            return;
        }
        slot.reply(wire);
    }

    private void onOwnResponse(OwnRequest own, ByteBuf wire) {
        try {
            if (isAnswerTo(own.correlationId, wire)) {
                own.onResponse.accept(wire.skipBytes(FrameDecoder.SIZE_BYTES));
                return;
            }
        } finally {
            wire.release();
        }
        own.onResponse.accept(null);
        fail(
                DisconnectCause.UPSTREAM_PROTOCOL,
                "a response whose correlation id differs from that of the proxy's own request");
    }

    private static boolean isAnswerTo(int correlationId, ByteBuf wire) {
        return wire.readableBytes() >= 2 * FrameDecoder.SIZE_BYTES
                && wire.getInt(wire.readerIndex() + FrameDecoder.SIZE_BYTES) == correlationId;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            events.mark();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(DisconnectCause.UPSTREAM_CLOSED, "the broker closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (TlsFailure.isCauseOf(cause)) {
            fail(DisconnectCause.UPSTREAM_TLS, TlsFailure.describe(cause));
        } else if (cause instanceof MalformedFrameException) {
            fail(DisconnectCause.UPSTREAM_PROTOCOL, cause.toString());
        } else if (cause instanceof IOException) {
            fail(DisconnectCause.UPSTREAM_ERROR, cause.toString());
        } else {
            fail(DisconnectCause.INTERNAL_ERROR, cause.toString());
        }
    }

    private void fail(DisconnectCause cause, String detail) {
        if (!closed) {
            closed = true;
            channel.close();
            failExpected();
            events.close(cause, detail);
        }
    }

    private void failExpected() {
        for (Object request = expected.poll(); request != null; request = expected.poll()) {
            if (request instanceof OwnRequest own) {
                own.onResponse.accept(null);
            }
        }
    }
}
