// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.concurrent.Future;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlEnvelope;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.control.MalformedControlMessageException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a plugin's control channel. {@link #ask} and {@link #whenClosed} may be called from any event loop.
 * Requests of one caller reach the plugin in the caller's order. When the connection ends, every unanswered request
 * gets null, and all its grants are void; links therefore end with their connection.
 */
public final class ControlConnection extends SimpleChannelInboundHandler<ByteBuf> {
    /** Far above the number of requests that all links of a proxy send at once. */
    private static final int MAX_UNANSWERED = 16_384;

    private static final Logger log = LoggerFactory.getLogger(ControlConnection.class);

    private final long timeoutNs;
    private final IntObjectHashMap<Question> unanswered = new IntObjectHashMap<>();
    Channel channel;
    /** Digest of the trusted certificate of the plugin, set before the first request: {@link ControlSecret#digest}. */
    byte[] certificate = ControlSecret.NO_CERTIFICATE;
    /** Cause of a connection's end before Hello. The user of the connection logs it at a bounded rate. */
    private Throwable failure;

    private int nextCorrelationId;

    /** Set by the connection's own event loop before any other thread gets the connection. */
    volatile ControlResponse.Hello hello;

    ControlConnection(long timeoutNs) {
        this.timeoutNs = timeoutNs;
    }

    private record Question(EventLoop askedOn, Consumer<ControlResponse> answer, Future<?> deadline) {
        void deliver(ControlResponse response) {
            deadline.cancel(false);
            if (askedOn.inEventLoop()) {
                tell(answer, response);
            } else {
                deliverOn(askedOn, answer, response);
            }
        }
    }

    private static void deliverOn(EventLoop loop, Consumer<ControlResponse> answer, ControlResponse response) {
        if (!loop.isShuttingDown()) {
            loop.execute(() -> tell(answer, response));
        }
    }

    /** The connection is that of all links to the broker, so what one caller throws must not end it. */
    private static void tell(Consumer<ControlResponse> answer, ControlResponse response) {
        try {
            answer.accept(response);
        } catch (Throwable e) {
            log.error("an answer of the plugin was not handled", e);
        }
    }

    public ControlResponse.Hello hello() {
        return hello;
    }

    /** Cause of a connection's end before Hello, as a suffix for a message; empty if it has not ended. */
    String whyNone() {
        if (failure != null && !(failure instanceof DecoderException && failure.getCause() == null)) {
            return ": " + TlsFailure.describe(failure);
        } else if (channel.isActive() && failure == null) {
            return "";
        }
        boolean isPlain = channel instanceof SocketChannel && certificate.length == 0;
        return ": it closed the connection"
                + (isPlain ? "; does it speak TLS? Then set rdma.control.security.protocol=SSL" : "");
    }

    /**
     * Sends a request. The answer arrives once, on {@code askedOn}, at the latest at the control channel's deadline.
     *
     * @param answer receives the plugin's answer, possibly a refusal; null if the connection was lost or the request
     *     timed out
     */
    public void ask(ControlRequest request, EventLoop askedOn, Consumer<ControlResponse> answer) {
        EventLoop own = channel.eventLoop();
        if (own.inEventLoop()) {
            send(request, askedOn, answer);
        } else if (own.isShuttingDown()) {
            deliverOn(askedOn, answer, null);
        } else {
            own.execute(() -> send(request, askedOn, answer));
        }
    }

    /** Sends a request and ignores its answer. */
    public void tell(ControlRequest request, EventLoop askedOn) {
        ask(request, askedOn, response -> {});
    }

    /** Runs {@code action} on {@code loop} when the connection is closed; at once if it is closed already. */
    public void whenClosed(EventLoop loop, Runnable action) {
        channel.closeFuture().addListener(closed -> {
            if (!loop.isShuttingDown()) {
                loop.execute(action);
            }
        });
    }

    public void close() {
        channel.close();
    }

    private void send(ControlRequest request, EventLoop askedOn, Consumer<ControlResponse> answer) {
        if (!channel.isActive() || unanswered.size() >= MAX_UNANSWERED) {
            deliverOn(askedOn, answer, null);
            return;
        }
        int correlationId = nextCorrelationId++;
        Future<?> deadline =
                channel.eventLoop().schedule(() -> expire(correlationId, request), timeoutNs, TimeUnit.NANOSECONDS);
        unanswered.put(correlationId, new Question(askedOn, answer, deadline));
        channel.writeAndFlush(Unpooled.wrappedBuffer(ControlCodec.encodeRequest(correlationId, request)))
                .addListener(written -> {
                    if (!written.isSuccess()) {
                        channel.close();
                    }
                });
    }

    private void expire(int correlationId, ControlRequest request) {
        Question question = unanswered.remove(correlationId);
        if (question != null) {
            log.warn(
                    "plugin did not answer {} within {} ms", request.getClass().getSimpleName(), timeoutNs / 1_000_000);
            question.deliver(null);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
        ControlEnvelope<ControlResponse> envelope;
        try {
            envelope = ControlCodec.decodeResponse(frame.nioBuffer());
        } catch (MalformedControlMessageException e) {
            log.warn("closing the control connection: {}", e.getMessage());
            context.close();
            return;
        }
        Question question = unanswered.remove(envelope.correlationId());
        // A late answer, after the deadline, has no request any more.
        if (question != null) {
            question.deliver(envelope.message());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        Question[] left = unanswered.values().toArray(new Question[0]);
        unanswered.clear();
        for (Question question : left) {
            question.deliver(null);
        }
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (hello == null) {
            failure = cause;
        } else {
            log.warn("control connection failed: {}", cause.toString());
        }
        context.close();
    }
}
