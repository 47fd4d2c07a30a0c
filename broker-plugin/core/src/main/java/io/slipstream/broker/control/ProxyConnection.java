// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.util.concurrent.ScheduledFuture;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlEnvelope;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.MalformedControlMessageException;
import io.slipstream.protocol.tls.FailureText;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One proxy's control connection. Confined to the control thread.
 *
 * <pre>
 *   NEW ──authenticated, Hello within 5 s──▶ GREETED ──by the peer, on garbage, on shutdown──▶ CLOSED
 *    └───────── anything else, or nothing──────────────────────▶ CLOSED
 * </pre>
 *
 * The links and sessions of a connection end with it. Requests above the rates of {@link RequestRates} are refused with
 * LIMIT.
 */
final class ProxyConnection extends SimpleChannelInboundHandler<ByteBuf> {
    static final long HELLO_TIMEOUT_MS = 5_000;
    /** Limit of unwritten answers. A proxy that does not read its answers loses the connection. */
    private static final int MAX_UNWRITTEN_BYTES = 1 << 20;

    private static final int MAX_NAME_CHARS = 100;
    private static final Pattern NOT_PRINTABLE = Pattern.compile("[^\\x20-\\x7e]");

    private static final Logger log = LoggerFactory.getLogger(ProxyConnection.class);

    private final LinkService service;
    private final PluginMeters counters;
    private final ProxyConnections connections;
    private final Authentication authentication;
    private final RequestRates rates = new RequestRates(System.nanoTime());
    private String proxyId;
    private boolean overRate;
    /** The connection is being closed; further requests are ignored. */
    private boolean isClosing;

    private ScheduledFuture<?> helloTimeout;

    ProxyConnection(LinkService service, ProxyConnections connections, Authentication authentication) {
        this.service = service;
        this.counters = service.links.counters;
        this.connections = connections;
        this.authentication = authentication;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        counters.increment(PluginMeter.CONTROL_CONNECTIONS);
        Runnable close = context::close;
        helloTimeout = context.executor().schedule(close, HELLO_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        helloTimeout.cancel(false);
        service.connectionClosed(this);
        if (proxyId != null) {
            log.info("Proxy {} disconnected", proxyId);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
        if (isClosing) {
            return;
        }
        counters.increment(PluginMeter.CONTROL_REQUESTS);
        ControlEnvelope<ControlRequest> request;
        try {
            request = ControlCodec.decodeRequest(frame.nioBuffer());
        } catch (MalformedControlMessageException e) {
            protocolError(context, e);
            return;
        }
        if (proxyId == null) {
            if (!authentication.isDone() || isAuthentication(request.message())) {
                authenticate(context, request);
                return;
            }
            if (!(request.message() instanceof ControlRequest.Hello hello)) {
                protocolError(context, request, "the first message must be Hello");
                return;
            }
            proxyId = printable(hello.proxyId());
            helloTimeout.cancel(false);
            connections.greeted(context.channel());
            log.info("Proxy {} {} connected", proxyId, printable(hello.proxyVersion()));
        }
        ControlApi api = ControlApi.of(request.message());
        if (rates.allows(api, System.nanoTime())) {
            answer(context, request);
        } else {
            tooFast(context, api, request.correlationId());
        }
    }

    private static boolean isAuthentication(ControlRequest message) {
        return message instanceof ControlRequest.Challenge || message instanceof ControlRequest.Authenticate;
    }

    private void authenticate(ChannelHandlerContext context, ControlEnvelope<ControlRequest> request) {
        ControlResponse answer =
                authentication.answer(request.message(), ControlEncryption.certificate(context.channel()));
        if (answer.error() == ControlError.NONE) {
            write(context, request.correlationId(), answer, null);
        } else {
            counters.increment(PluginMeter.CONTROL_AUTHENTICATION_FAILURES);
            connections.warn(context.channel().remoteAddress() + ": " + answer.message());
            closeWith(context, ControlCodec.encodeResponse(request.correlationId(), answer));
        }
    }

    private void tooFast(ChannelHandlerContext context, ControlApi api, int correlationId) {
        if (!overRate) {
            overRate = true;
            log.warn("Proxy {} exceeds its request rate ({}); the excess is refused", proxyId, api);
        }
        write(context, correlationId, api.refusal(ControlError.LIMIT, "too many requests of this kind"), null);
    }

    /** Makes text from a peer safe for the log. */
    private static String printable(String given) {
        String shortened = given.length() <= MAX_NAME_CHARS ? given : given.substring(0, MAX_NAME_CHARS);
        return NOT_PRINTABLE.matcher(shortened).replaceAll("?");
    }

    private void answer(ChannelHandlerContext context, ControlEnvelope<ControlRequest> request) {
        CompletionStage<? extends ControlResponse> answer = service.handle(this, request.message());
        answer.whenComplete((response, failure) -> {
            if (context.executor().inEventLoop()) {
                write(context, request.correlationId(), response, failure);
            } else {
                context.executor().execute(() -> write(context, request.correlationId(), response, failure));
            }
        });
    }

    private void write(ChannelHandlerContext context, int correlationId, ControlResponse response, Throwable failure) {
        if (failure != null) {
            // Answers never fail exceptionally. If one does, it is a bug here, and the peer must not wait for it.
            log.error("Control request of proxy {} failed", proxyId, failure);
            context.close();
            return;
        }
        if (response.error() != ControlError.NONE) {
            counters.increment(PluginMeter.CONTROL_REFUSALS);
        }
        if (context.channel().unsafe().outboundBuffer() != null
                && context.channel().unsafe().outboundBuffer().totalPendingWriteBytes() > MAX_UNWRITTEN_BYTES) {
            log.warn("Proxy {} does not read its answers, closing its control connection", proxyId);
            context.close();
            return;
        }
        context.writeAndFlush(Unpooled.wrappedBuffer(ControlCodec.encodeResponse(correlationId, response)));
    }

    private void protocolError(ChannelHandlerContext context, ControlEnvelope<ControlRequest> request, String reason) {
        counters.increment(PluginMeter.CONTROL_PROTOCOL_ERRORS);
        connections.warn(reason);
        ControlResponse response = ControlApi.of(request.message()).refusal(ControlError.PROTOCOL, reason);
        closeWith(context, ControlCodec.encodeResponse(request.correlationId(), response));
    }

    private void protocolError(ChannelHandlerContext context, MalformedControlMessageException malformed) {
        if (malformed.isOfRetiredApi() && proxyId != null && context.channel().isWritable()) {
            // A proxy of an older release; it takes the refusal for what it is.
            context.writeAndFlush(Unpooled.wrappedBuffer(ControlCodec.encodeProtocolError(malformed)));
            return;
        }
        counters.increment(PluginMeter.CONTROL_PROTOCOL_ERRORS);
        connections.warn(malformed.getMessage());
        if (!malformed.correlationIdKnown()) {
            context.close();
            return;
        }
        closeWith(context, ControlCodec.encodeProtocolError(malformed));
    }

    private void closeWith(ChannelHandlerContext context, ByteBuffer lastWords) {
        isClosing = true;
        context.channel().config().setAutoRead(false);
        context.writeAndFlush(Unpooled.wrappedBuffer(lastWords)).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Throwable failure = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (failure instanceof NotSslRecordException) {
            counters.increment(PluginMeter.CONTROL_PROTOCOL_ERRORS);
            connections.warn(context.channel().remoteAddress()
                    + ": a proxy does not use TLS, but this port requires it: set"
                    + " rdma.control.security.protocol=SSL at the proxy");
        } else if (failure instanceof SSLException) {
            counters.increment(PluginMeter.CONTROL_AUTHENTICATION_FAILURES);
            connections.warn(context.channel().remoteAddress() + ": TLS failed: " + FailureText.of(failure));
        } else if (cause instanceof DecoderException) {
            counters.increment(PluginMeter.CONTROL_PROTOCOL_ERRORS);
            connections.warn(cause.getMessage());
        } else {
            connections.warn("proxy " + proxyId + ": " + cause);
        }
        context.close();
    }
}
